// Finding homes: from what the products say of their operands to whatever touches the same buffers.
#include "src/generate/grid_homes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/core/try.h"
#include "src/program/extents.h"

namespace weft {
namespace {

constexpr int kThinWeights = 8192;
constexpr std::int64_t kMostElements = 1 << 24;
constexpr std::size_t kMostInstructions = 300;  // a compiler takes about a second for 30 of them

bool has_weights(Opcode op) { return op == Opcode::kForward || op == Opcode::kGradInput || op == Opcode::kTargetBelow; }

}  // namespace

int padded_lead(int columns) {
  const int quads = div_up(columns, 4);
  return 4 * (quads % 2 == 1 ? quads : quads + 1);
}

int GridTiling::lead() const { return padded_lead(kt); }
int GridTiling::padded_rows() const { return thin ? nt : round_up(nt, 8); }

Status GridHomes::put(BufferId id, GridPlace place) {
  if (id == kNoBuffer) return {};
  if (id == BufferTable::kInput || id == BufferTable::kTarget) {
    if (place.home == GridHome::kTiles || place.home == GridHome::kVector)
      return {StatusCode::kUnsupported, "grid: the call's arguments are used as weights"};
    place.home = GridHome::kArgument;
  }
  const auto [at, is_new] = places_.try_emplace(id, place);
  if (is_new || (at->second.home == place.home && at->second.width == place.width && at->second.tiling == place.tiling))
    return {};
  return {StatusCode::kUnsupported, fmt::format("grid: buffer '{}' is used in two shapes (rows of {} and of {})",
                                                (*buffers_)[id].name, at->second.width, place.width)};
}

int GridHomes::tiling(int n, int k) {
  // Weights of equal shape are cut alike, but each set of buffers has a tiling of its own: see cut.
  for (std::size_t i = 0; i < tilings_.size(); ++i)
    if (tilings_[i].n == n && tilings_[i].k == k) return static_cast<int>(i);
  tilings_.push_back({.n = n, .k = k});
  return static_cast<int>(tilings_.size()) - 1;
}

Status GridHomes::settle(const Program& program) {
  const auto rows = [](std::int64_t width) { return GridPlace{GridHome::kRows, static_cast<int>(width), 0}; };
  const auto vector = [](std::int64_t n) { return GridPlace{GridHome::kVector, static_cast<int>(n), 0}; };
  const GridPlace number{GridHome::kNumber, 1, 0};
  const auto tiles = [&](const Instruction& i) {
    return GridPlace{GridHome::kTiles, 0, tiling(static_cast<int>(i.n), static_cast<int>(i.k))};
  };
  // What says by itself where its operands live.
  for (const Instruction& i : program.code) {
    std::array<GridPlace, 3> in{}, out{};
    switch (i.op) {
      case Opcode::kForward: in = {rows(i.k), tiles(i), vector(i.n)}, out = {rows(i.n), rows(i.n)}; break;
      case Opcode::kGradInput:
      case Opcode::kTargetBelow: in = {rows(i.n), tiles(i)}, out = {rows(i.k)}; break;
      case Opcode::kWeightGrad:
      case Opcode::kUpdate: in = {rows(i.n), rows(i.k), number}, out = {tiles(i)}; break;
      case Opcode::kBiasGrad:
      case Opcode::kBiasUpdate: in = {rows(i.n), {}, number}, out = {vector(i.n)}; break;
      case Opcode::kDelta:
      case Opcode::kSoftmaxGrad: in = {rows(i.n), rows(i.n)}, out = {rows(i.n)}; break;
      case Opcode::kSoftmax: in = {rows(i.n)}, out = {rows(i.n)}; break;
      case Opcode::kProject:
        if (i.k % batch_ != 0 || i.n % batch_ != 0)
          return {StatusCode::kUnsupported,
                  fmt::format("grid: project of {} to {} elements crosses the rows of a batch "
                              "of {}",
                              i.k, i.n, batch_)};
        in = {rows(i.k / batch_)}, out = {rows(i.n / batch_)};
        break;
      case Opcode::kCopyColumns: in = {rows(i.k)}, out = {rows(i.width)}; break;
      case Opcode::kScaleRows: in = {rows(i.n), rows(i.width)}, out = {rows(i.n)}; break;
      case Opcode::kRowDot: in = {rows(i.n), rows(i.n)}, out = {rows(i.width)}; break;
      case Opcode::kLossGap: in = {rows(i.n), rows(i.n)}, out = {rows(i.n), number, number}; break;
      case Opcode::kRatio:
      case Opcode::kEquals:
      case Opcode::kRefresh: in = {number, number, number}, out = {number}; break;
      case Opcode::kCount:
      case Opcode::kSet: out = {number}; break;
      case Opcode::kLinkBudget: in = {rows(i.n), rows(i.n)}, out = {number, number}; break;
      default: continue;
    }
    const bool flat = i.op == Opcode::kProject || in[0].home != GridHome::kRows;
    if (!flat && i.m != batch_)
      return {StatusCode::kUnsupported,
              fmt::format("grid: {} over {} rows in a batch of {}", to_string(i.op), i.m, batch_)};
    for (std::size_t o = 0; o < 3; ++o) {
      WEFT_RETURN_IF_ERROR(put(i.in[o].buffer, in[o]));
      WEFT_RETURN_IF_ERROR(put(i.out[o].buffer, out[o]));
    }
  }
  // Elementwise work takes the home of whichever operand has one.
  const auto peers = [](const Instruction& i) -> std::vector<BufferId> {
    switch (i.op) {
      case Opcode::kApply: return {i.in[0].buffer, i.out[0].buffer, i.out[1].buffer, i.out[2].buffer};
      case Opcode::kAscend:
      case Opcode::kScale: return {i.in[0].buffer, i.out[0].buffer};
      case Opcode::kSubtract: return {i.in[0].buffer, i.in[1].buffer, i.out[0].buffer};
      case Opcode::kZero: return {i.out[0].buffer};
      case Opcode::kRms:
      case Opcode::kClip:
      case Opcode::kIsFinite: return {i.in[0].buffer};
      default: return {};
    }
  };
  const auto spread = [&](bool settle_rows) -> Result<bool> {
    bool changed = false;
    for (const Instruction& i : program.code) {
      const std::vector<BufferId> all = peers(i);
      if (all.empty()) continue;
      const auto known = std::find_if(all.begin(), all.end(), [&](BufferId id) { return places_.contains(id); });
      GridPlace place;
      if (known != all.end()) {
        place = places_.at(*known);
        if (place.home == GridHome::kArgument) place.home = GridHome::kRows;
      } else if (settle_rows && i.m == batch_) {
        place = rows(i.n);
      } else {
        continue;
      }
      if (place.home == GridHome::kRows && (i.m != batch_ || i.n != place.width))
        return Status{StatusCode::kUnsupported, fmt::format("grid: {} of [{}, {}] on rows of {} in a batch of {}",
                                                            to_string(i.op), i.m, i.n, place.width, batch_)};
      const std::size_t before = places_.size();
      for (const BufferId id : all) WEFT_RETURN_IF_ERROR(put(id, place));
      changed = changed || places_.size() != before;
    }
    return changed;
  };
  while (true) {
    WEFT_ASSIGN_OR_RETURN(bool changed, spread(false));
    if (changed) continue;
    WEFT_ASSIGN_OR_RETURN(changed, spread(true));
    if (!changed) break;
  }
  for (const Instruction& i : program.code) {
    for (const BufferId id : peers(i))
      if (id != kNoBuffer && !places_.contains(id))
        return {StatusCode::kUnsupported, fmt::format("grid: nothing says how '{}' is laid out", (*buffers_)[id].name)};
    if (i.op == Opcode::kApply) WEFT_RETURN_IF_ERROR(put(i.in[1].buffer, number));
    if (i.op == Opcode::kScale || i.op == Opcode::kAscend) WEFT_RETURN_IF_ERROR(put(i.in[1].buffer, number));
    if (i.op == Opcode::kRms || i.op == Opcode::kClip || i.op == Opcode::kIsFinite)
      WEFT_RETURN_IF_ERROR(put(i.out[0].buffer, number));
    for (const Predicate& predicate : i.when) WEFT_RETURN_IF_ERROR(put(predicate.counter, number));
  }
  return {};
}

void GridHomes::find_copies(const Program& program) {
  std::map<BufferId, int> writers;
  for (const Instruction& i : program.code)
    for (const Operand& out : i.out)
      if (out.present()) ++writers[out.buffer];
  for (const Instruction& i : program.code) {
    const bool always = std::none_of(i.when.begin(), i.when.end(), [](const Predicate& p) { return p.present(); });
    const bool copies = i.op == Opcode::kScale && i.scale == 1.0 && !i.accumulate && !i.in[1].present();
    if (!always || !copies || places_.at(i.in[0].buffer).home != GridHome::kArgument) continue;
    const BufferId ring = i.out[0].buffer;
    if ((*buffers_)[ring].slots > 1 && i.out[0].lag == 0 && writers.at(ring) == 1) copies_[ring] = i.in[0].buffer;
  }
}

BufferId GridHomes::argument_of(const Operand& operand) const {
  if (!operand.present()) return kNoBuffer;
  if (operand.buffer == BufferTable::kInput || operand.buffer == BufferTable::kTarget) return operand.buffer;
  const auto known = copies_.find(operand.buffer);
  return known != copies_.end() && operand.lag <= 1 ? known->second : kNoBuffer;
}

/// The tiling of every matrix of weights that costs least in one step.
Status GridHomes::cut(const Program& program, const GridShape& shape) {
  const bool exact = shape.precision == Precision::kFloat32;
  for (std::size_t at = 0; at < tilings_.size(); ++at) {
    GridTiling& t = tilings_[at];
    const auto is_of = [&](const Operand& weights) {
      return weights.present() && places_.at(weights.buffer).home == GridHome::kTiles &&
             places_.at(weights.buffer).tiling == static_cast<int>(at);
    };
    bool first = true;
    for (const Instruction& i : program.code) {
      if (i.op == Opcode::kForward && is_of(i.in[1]) && argument_of(i.in[0]) != kNoBuffer) t.reads_input = true;
      if ((i.op == Opcode::kGradInput || i.op == Opcode::kTargetBelow) && is_of(i.in[1])) first = false;
    }
    t.thin = static_cast<std::int64_t>(t.n) * t.k <= kThinWeights;
    if (t.thin) {
      t.nt = t.n;
      t.kt = round_up(div_up(t.k, shape.blocks), 4);
      t.along_n = 1, t.along_k = div_up(t.k, t.kt);
      continue;
    }
    int thin = 0;  // blocks that have a part of a thin matrix
    for (const GridTiling& other : tilings_)
      if (static_cast<std::int64_t>(other.n) * other.k <= kThinWeights)
        thin = std::max(thin, div_up(other.k, round_up(div_up(other.k, shape.blocks), 4)));
    double least = std::numeric_limits<double>::max();
    const double b = batch_, rows = rows_;
    for (int pn = 1; pn <= shape.blocks; ++pn)
      for (int pk = 1; pn * pk <= shape.blocks; ++pk) {
        const int nt = round_up(div_up(t.n, pn), 8), kt = round_up(div_up(t.k, pk), 8);
        if (div_up(t.n, nt) != pn || div_up(t.k, kt) != pk) continue;
        const double kept = b * padded_lead(kt) * (first ? 2 : 1) + 2.0 * padded_lead(kt) * nt + b * padded_lead(nt);
        if (kept * sizeof(float) > shape.tile_share * shape.shared_bytes) continue;
        double products =
            tile_product_cost(batch_, nt, kt, exact).cycles + tile_product_cost(nt, kt, batch_, exact).cycles;
        double floats = b * nt + rows * t.n * pk + b * nt;  // partials out, sums in, slices of gaps in
        if (!first) {
          products += tile_product_cost(batch_, kt, nt, exact).cycles;
          floats += b * kt + b * kt + rows * t.k * pn;  // slice of x in, partial gradients out, sums in
        }
        // 80 and 25 bytes a cycle, and a thin matrix's update on top for blocks that have both: from measured tilings.
        const double staging = t.reads_input ? b * kt * 4 / 25 : 0;
        const double both = 700.0 * std::clamp((pn * pk + thin - shape.blocks) / 32.0, 0.0, 1.0);
        const double cost = products + floats * 4 / 80 + staging + both;
        if (cost < least) least = cost, t.along_n = pn, t.along_k = pk, t.nt = nt, t.kt = kt;
      }
    if (t.nt == 0)
      return {StatusCode::kUnsupported,
              fmt::format("grid: weights of {} x {} with a batch of {} do not fit {} blocks of {} bytes", t.n, t.k,
                          batch_, shape.blocks, shape.shared_bytes)};
  }
  return {};
}

TileProductCost tile_product_cost(int rows, int columns, int inner, bool exact) {
  // Issue slots, shared-memory wavefronts, and the chain of one warp.
  constexpr int kWarps = 8;
  const int passes = exact ? 3 : 1;
  TileProductCost best;
  for (int wide = 1; wide <= 4; wide *= 2) {
    const int tiles = div_up(rows, 16) * div_up(columns, 8 * wide), steps = div_up(inner, 8);
    const double waves = (4 + 2 * wide) * 1.3, slots = (4 + 2 * wide) * (exact ? 3.5 : 2.0) + passes * wide * 2 + 6;
    const double latency = div_up(tiles, kWarps) * (steps * (20.0 + slots + 18 * passes) + 80);
    const double most = std::max(div_up(tiles, 4) * (steps * slots + 40 + 8 * wide), tiles * steps * waves);
    const double cycles = most > latency ? most + 0.3 * latency : latency + 0.3 * most;
    if (best.wide == 0 || cycles < best.cycles) best = {cycles, wide};
  }
  return best;
}

Result<GridHomes> GridHomes::make(const Program& program, const BufferTable& buffers, const GridShape& shape) {
  GridHomes homes;
  homes.buffers_ = &buffers;
  if (program.code.size() > kMostInstructions)
    return Status{StatusCode::kUnsupported,
                  fmt::format("grid: {} instructions, wanted at most {}", program.code.size(), kMostInstructions)};
  for (const Instruction& i : program.code) {
    if (homes.batch_ == 0 && has_weights(i.op)) homes.batch_ = static_cast<int>(i.m);
    const Extents reach = extents(i);
    for (std::size_t o = 0; o < 3; ++o)
      if ((i.in[o].present() && reach.in[o] > kMostElements) || (i.out[o].present() && reach.out[o] > kMostElements))
        return Status{StatusCode::kUnsupported,
                      fmt::format("grid: {} touches more than {} elements", to_string(i.op), kMostElements)};
  }
  if (homes.batch_ == 0) return Status{StatusCode::kUnsupported, "grid: the program has no layer with weights"};
  homes.rows_ = div_up(homes.batch_, shape.blocks);
  WEFT_RETURN_IF_ERROR(homes.settle(program));
  if (shape.roomy) homes.find_copies(program);
  WEFT_RETURN_IF_ERROR(homes.cut(program, shape));
  homes.buffers_ = nullptr;
  return homes;
}

}  // namespace weft
