// The mesh's clock. Which cells run does not depend on the data, so slots are followed by name: the copy
// of write to read at the end of a tick moves no number.
#include "src/schedule/mesh_clock.h"

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft {
namespace {

/// The most that a program may hold: the largest grid at the default number of ticks.
constexpr std::int64_t kMaxCellTicks = 4 * Grid::kMaxCells;

/// Which slots hold a value, tick by tick.
class Occupancy {
 public:
  explicit Occupancy(const std::vector<MountedCell>& cells) : cells_(cells), read_(cells.size()), write_(cells.size()) {
    read_[0] = true;
  }
  void tick() {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].disabled)
        write_[c] = read_[c == 0 ? 0 : c - 1];
      else if (read_[static_cast<std::size_t>(cells_[c].source)])
        write_[c] = true;
    }
    read_ = write_;
  }
  bool output() const { return read_.back(); }
  const std::vector<bool>& state() const { return read_; }

 private:
  const std::vector<MountedCell>& cells_;
  std::vector<bool> read_, write_;
};

/// The smallest number of ticks after which the last cell holds a value.
std::optional<int> sufficient_ticks(const std::vector<MountedCell>& cells) {
  Occupancy occupancy(cells);
  // A state seen before will come again for ever. It is compared with the one at the last power of two (Brent 1980).
  std::vector<bool> before;
  for (int ticks = 1, next = 1; static_cast<std::int64_t>(cells.size()) <= kMaxCellTicks / ticks; ++ticks) {
    occupancy.tick();
    if (occupancy.output()) return ticks;
    if (occupancy.state() == before) return std::nullopt;
    if (ticks == next) before = occupancy.state(), next *= 2;
  }
  return std::nullopt;
}

Status empty_output(const Plan& plan, int ticks) {
  const std::optional<int> enough = sufficient_ticks(plan.cells);
  return {StatusCode::kInvalidArgument,
          enough
              ? fmt::format("after {} ticks the grid's last cell is still empty; {} ticks are enough", ticks, *enough)
              : fmt::format("after {} ticks the grid's last cell is still empty, and no number of ticks is enough: "
                            "the input never reaches it",
                            ticks)};
}

}  // namespace

Tape MeshTape::last_tick() const {
  Tape tape{.layer = nullptr, .x = input, .z = {}, .y = output, .saved = {}, .children = {}};
  for (const auto& cell : ticks.back())
    if (cell) tape.children.push_back(*cell);
  return tape;
}

const Tape* MeshTape::latest(std::size_t cell) const {
  for (auto tick = ticks.rbegin(); tick != ticks.rend(); ++tick)
    if ((*tick)[cell]) return &*(*tick)[cell];
  return nullptr;
}

Result<MeshTape> lay_out_clock(Plan& plan, const Value& input, int ticks, const std::string& prefix) {
  if (static_cast<std::int64_t>(plan.cells.size()) > kMaxCellTicks / ticks)
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("{} ticks of {} cells, wanted at most {} cell-ticks in a call", ticks, plan.cells.size(),
                              kMaxCellTicks));
  MeshTape mesh{.input = input, .output = {}, .ticks = {}, .values = {}};
  std::vector<Value> read(plan.cells.size()), write(plan.cells.size());
  read[0] = input;
  for (int t = 0; t < ticks; ++t) {
    auto& tapes = mesh.ticks.emplace_back(plan.cells.size());
    const TapeStore store{plan.buffers, fmt::format("{}tick{}/", prefix, t)};
    for (std::size_t c = 0; c < plan.cells.size(); ++c) {
      const MountedCell& cell = plan.cells[c];
      if (cell.disabled) {
        write[c] = read[c == 0 ? 0 : c - 1];
        continue;
      }
      const Value& source = read[static_cast<std::size_t>(cell.source)];
      if (!source.present()) continue;
      auto tape = cell.op->tape(source, store);
      if (!tape.ok()) return Status(tape.status().code(), fmt::format("cell {}: {}", c, tape.status().message()));
      write[c] = tape->y;
      tapes[c] = *std::move(tape);
    }
    read = write;
  }
  if (!read.back().present()) return empty_output(plan, ticks);
  mesh.output = read.back();
  mesh.values = std::move(read);
  return mesh;
}

void emit_clock(Builder& builder, const MeshTape& mesh) {
  for (const auto& tick : mesh.ticks)
    for (const auto& cell : tick)
      if (cell) cell->layer->forward(builder, *cell);
}

}  // namespace weft
