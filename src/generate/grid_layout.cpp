// What a block keeps where: tiles for good, slices of what others wrote for as long as they are read.
#include "src/generate/grid_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include "src/core/try.h"

namespace weft {
namespace {

bool partial_or_whole(const GridPiece& piece, Opcode op) {
  return op == Opcode::kCopyColumns || op == Opcode::kRowDot || piece.work == GridWork::kWholeRows;
}

}  // namespace

void GridWriter::number_buffers() {
  for (const auto& [id, place] : homes_.all()) {
    if (id == BufferTable::kInput) made_.input_width = place.width;
    if (id == BufferTable::kTarget) made_.target_width = place.width;
    if (place.home == GridHome::kArgument) continue;
    index_[id] = static_cast<int>(made_.buffers.size());
    made_.buffers.push_back(id);
    if (place.home == GridHome::kNumber) numbers_.try_emplace(id, static_cast<int>(numbers_.size()));
    if (buffers_[id].slots > 1) rings_.insert(buffers_[id].slots);
  }
  if (program_.loss_value != kNoBuffer) {
    for (const BufferId id : {program_.loss_value, program_.loss_finite}) {
      if (index_.contains(id)) continue;
      index_[id] = static_cast<int>(made_.buffers.size());
      made_.buffers.push_back(id);
      numbers_.try_emplace(id, static_cast<int>(numbers_.size()));
    }
  }
  for (std::size_t t = 0; t < schedule_.intervals.size(); ++t) {
    const int at = static_cast<int>(t);
    for (const GridPiece& p : schedule_.intervals[t].late) steps_.push_back({&p, at, true});
    for (const GridPiece& p : schedule_.intervals[t].pieces) steps_.push_back({&p, at, false});
  }
}

void GridWriter::find_whole_mirrors() {
  constexpr std::int64_t kMost = 4096;
  std::set<BufferId> partly;  // written past `store`
  for (const Step& step : steps_)
    for (const GridAccess& a : step.piece->accesses)
      if (a.writes && a.object < kGridPassed &&
          (step.piece->work == GridWork::kWholeRows ||
           (step.piece->work == GridWork::kSum && program_.loss != Loss::kMse)))
        partly.insert(a.object);
  for (const auto& [id, place] : homes_.all())
    if (place.home == GridHome::kRows && buffers_[id].role != Role::kScratch && !partly.contains(id) &&
        buffers_[id].slots * rows_ * padded_lead(place.width) <= kMost)
      whole_.insert(id);
}

bool GridWriter::mirrored(const Operand& operand, std::size_t at) const {
  if (whole_.contains(operand.buffer)) return true;
  for (std::size_t w = at; w-- > 0;) {
    const GridPiece& writer = *steps_[w].piece;
    if (writer.work == GridWork::kTileProduct) continue;
    const Instruction& i = of(writer);
    if (!writes(writer, operand.buffer)) continue;
    const auto out =
        std::find_if(i.out.begin(), i.out.end(), [&](const Operand& o) { return o.buffer == operand.buffer; });
    if (out == i.out.end() || out->lag != operand.lag) {
      if (buffers_[operand.buffer].slots > 1) continue;
      return false;
    }
    if (partial_or_whole(writer, i.op)) return false;
    if (!includes(steps_[at].piece->when, writer.when)) return false;
    for (const Predicate& p : writer.when)
      for (std::size_t s = w; s < at; ++s)
        if (writes(*steps_[s].piece, p.counter)) return false;
    return true;
  }
  return false;
}

/// Operands of a piece that are rows of this block's own.
std::vector<Operand> own_rows(const GridPiece& piece, const Instruction& i, const GridHomes& homes) {
  std::vector<Operand> read;
  if (piece.owner != GridOwner::kRows) return read;
  const auto is_rows = [&](const Operand& o) {
    return o.present() && (homes[o.buffer].home == GridHome::kRows || homes[o.buffer].home == GridHome::kArgument);
  };
  if (piece.work != GridWork::kReduce)
    for (const Operand& in : i.in)
      if (is_rows(in)) read.push_back(in);
  if (reads_outputs(i) && piece.work != GridWork::kResult)
    for (const Operand& out : i.out)
      if (is_rows(out)) read.push_back(out);
  return read;
}

void GridWriter::look_at_reads() {
  if (shape_.roomy) find_whole_mirrors();
  if (program_.output.present()) in_memory_.insert(program_.output.buffer);
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const GridPiece& piece = *steps_[at].piece;
    for (const GridAccess& a : piece.accesses) {
      if (a.object >= kGridPassed || !a.remote) continue;
      if (homes_[a.object].home == GridHome::kRows && notice(a.object, a.lag) < 0) in_memory_.insert(a.object);
    }
    const Instruction& i = of(piece);
    if (partial_or_whole(piece, i.op))
      for (const Operand& out : i.out)
        if (out.present()) in_memory_.insert(out.buffer);
    for (const Operand& o : own_rows(piece, i, homes_)) {
      if (is_argument(o)) continue;
      (mirrored(o, at) ? in_mirror_ : in_memory_).insert(o.buffer);
    }
  }
  // Kept rows that nobody reads there in a launch: whole mirrors are stored at its end.
  for (const auto& [id, place] : homes_.all()) {
    if (place.home != GridHome::kRows || buffers_[id].role == Role::kScratch || in_memory_.contains(id)) continue;
    if (whole_.contains(id) && in_mirror_.contains(id)) continue;
    in_memory_.insert(id);
    if (!in_mirror_.contains(id)) left_behind_.insert(id);
  }
}

/// For how many calls what the step writes is kept, where a launch reads none of it; 0: it does, or may not write.
std::int64_t GridWriter::only_keeps(std::size_t at) const {
  const GridPiece& piece = *steps_[at].piece;
  if (piece.work != GridWork::kElements || !piece.when.empty()) return 0;
  const Operand& to = of(piece).out[0];
  if (!left_behind_.contains(to.buffer) || to.lag != 0 || of(piece).accumulate || notice_written(to.buffer, 0) >= 0)
    return 0;
  return buffers_[to.buffer].slots;
}

GridSlice GridWriter::slice_of(const Operand& o, GridSide side, int tiling) const {
  // Own rows of what was copied are in the ring.
  const BufferId argument = side == GridSide::kRows && !is_argument(o) ? kNoBuffer : homes_.argument_of(o);
  return {argument != kNoBuffer ? argument : o.buffer, o.lag, side, tiling};
}

std::vector<GridSlice> GridWriter::slices(const GridPiece& piece, std::size_t at) const {
  const Instruction& i = of(piece);
  std::vector<GridSlice> needed;
  const auto add = [&](const Operand& o, GridSide side, int tiling) { needed.push_back(slice_of(o, side, tiling)); };
  const auto tiling = [&](const Operand& o) { return homes_[o.buffer].tiling; };
  switch (piece.work) {
    case GridWork::kTileProduct:
      add(i.in[0], i.op == Opcode::kForward ? GridSide::kAlongK : GridSide::kAlongN, tiling(i.in[1]));
      break;
    case GridWork::kWeights:
      add(i.in[0], GridSide::kAlongN, tiling(i.out[0]));
      add(i.in[1], GridSide::kAlongK, tiling(i.out[0]));
      break;
    case GridWork::kThinProduct:
      add(i.in[1], GridSide::kWhole, tiling(i.in[1]));
      if (is_argument(i.in[0]) || !mirrored(i.in[0], at)) add(i.in[0], GridSide::kRows, 0);
      break;
    default:
      for (const Operand& o : own_rows(piece, i, homes_))
        if (is_argument(o)) add(o, GridSide::kRows, 0);
  }
  return needed;
}

GridRoom GridWriter::room_of(const GridSlice& slice) const {
  const GridTiling* t = slice.tiling < static_cast<int>(homes_.tilings().size())
                            ? &homes_.tilings()[static_cast<std::size_t>(slice.tiling)]
                            : nullptr;
  switch (slice.side) {
    case GridSide::kRows: {
      const int columns = homes_[slice.buffer].width;
      return {0, rows_, columns, padded_lead(columns)};
    }
    case GridSide::kAlongN: return {0, round_up(batch_, 8), t->nt, padded_lead(t->nt)};
    case GridSide::kAlongK: return {0, round_up(batch_, 8), t->kt, padded_lead(t->kt)};
    case GridSide::kWhole: return {0, t->n, t->k, padded_lead(t->k)};
  }
  return {};
}

/// What tells one state of a slice's source from another, for that step: the last write that it can be meant to see.
/// Steps under opposite conditions never share one: each may have been fetched before the other's source was written.
int GridWriter::version(const GridSlice& slice, std::size_t at) const {
  std::vector<Predicate> branch;
  for (const Predicate& p : steps_[at].piece->when)
    if (has_opposite(program_, p)) branch.push_back(p);
  const auto known = std::find(branches_.begin(), branches_.end(), branch);
  const auto number = static_cast<int>(known - branches_.begin());
  if (known == branches_.end()) branches_.push_back(branch);
  int last = 0;
  for (std::size_t s = 0; s < at; ++s)
    for (const GridAccess& a : steps_[s].piece->accesses)
      if (a.writes && a.object == slice.buffer && !exclusive(program_, *steps_[s].piece, *steps_[at].piece))
        last = static_cast<int>(s) + 1;
  return last * 64 + number;
}

Status GridWriter::lay_out() {
  take(static_cast<int>(numbers_.size()));
  scratch_ = take(3 * kGridWarps);
  for (const Step& step : steps_)
    if (step.piece->work == GridWork::kSum) left_[passed(*step.piece)] = take(sums_of(of(*step.piece)) * kGridWarps);
  samples_ = take(2 * batch_ * 2);
  for (const auto& [id, place] : homes_.all()) {
    if (place.home == GridHome::kTiles) {
      const GridTiling& t = homes_.tiling_of(id);
      GridRoom room{0, t.padded_rows(), t.kt, t.lead()};
      room.at = take(room.floats());
      tiles_[id] = room;
    }
    if (place.home == GridHome::kRows && in_mirror_.contains(id)) {
      GridRoom room{0, rows_, place.width, padded_lead(place.width)};
      room.at = take(room.floats() * (whole_.contains(id) ? static_cast<int>(buffers_[id].slots) : 1));
      mirrors_[id] = room;
    }
  }
  // Slices live from the start of their first interval to their last use; arguments for good.
  struct Life {
    GridRoom room;
    std::size_t first, last;
  };
  std::map<SliceVersion, Life> lives;
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    for (const GridSlice& slice : slices(*steps_[at].piece, at)) {
      if (slice.buffer == BufferTable::kInput || slice.buffer == BufferTable::kTarget) {
        // Those of the next call are on their way while a call runs.
        const auto [known, is_new] =
            arguments_.try_emplace({slice.buffer, 0, slice.side, slice.tiling}, GridArgument{});
        known->second.room = room_of(slice);
        known->second.slots = std::max(known->second.slots, 2 + slice.lag);
        continue;
      }
      std::size_t start = at;
      // A piece that runs late had its slices fetched in the interval before. Where there is room, memory is not that
      // of what is read in the interval before, so that threads need not meet between the two.
      const int interval = (steps_[at].late ? steps_[at].interval - 1 : steps_[at].interval) - (shape_.roomy ? 1 : 0);
      while (start > 0 && (steps_[start - 1].interval > interval ||
                           (steps_[start - 1].interval == interval && !steps_[start - 1].late)))
        --start;
      const auto [known, is_new] = lives.try_emplace({slice, version(slice, at)}, Life{room_of(slice), start, at});
      known->second.first = std::min(known->second.first, start);
      known->second.last = is_early(slice, at) ? steps_.size() : std::max(known->second.last, at);
    }
  }
  for (auto& [slice, argument] : arguments_) argument.room.at = take(argument.slots * argument.room.floats());
  std::vector<SliceVersion> order;
  order.reserve(lives.size());
  for (const auto& [key, life] : lives) order.push_back(key);
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return lives.at(a).room.floats() > lives.at(b).room.floats(); });
  const int base = arena_;
  for (const auto& key : order) {
    const Life& life = lives.at(key);
    int at = base;
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& [other, room] : slices_) {
        const Life& theirs = lives.at(other);
        const bool together = theirs.first <= life.last && life.first <= theirs.last;
        if (!together || at + life.room.floats() <= room.at || room.at + room.floats() <= at) continue;
        at = room.at + room.floats();
        moved = true;
      }
    }
    GridRoom room = life.room;
    room.at = at;
    slices_[key] = room;
    arena_ = std::max(arena_, at + room.floats());
  }
  made_.shared_bytes = static_cast<std::size_t>(arena_) * sizeof(float);
  if (made_.shared_bytes > static_cast<std::size_t>(shape_.shared_bytes))
    return {StatusCode::kUnsupported, fmt::format("grid: {} bytes of shared memory in each block wanted, there are {}",
                                                  made_.shared_bytes, shape_.shared_bytes)};
  made_.board = schedule_.board.floats();
  made_.notices = static_cast<int>(schedule_.board.notices().size());
  return {};
}

}  // namespace weft
