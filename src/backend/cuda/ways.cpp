// Choosing and keeping ways.
#include "src/backend/cuda/ways.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "src/backend/cuda/chip.h"
#include "src/backend/cuda/chip_interpreter.h"
#include "src/backend/cuda/grid.h"
#include "src/backend/cuda/nvrtc.h"
#include "src/core/try.h"

namespace weft::cuda {
namespace {

/// The environment's wish; empty for none.
std::string_view wanted_way() {
  const char* set = std::getenv("WEFT_CUDA_WAY");
  return set == nullptr ? "" : set;
}

// Cycles of a call, as estimated (a bit more than half of what an H200 takes). Up to the first, one block was faster
// than a grid, which has barriers to wait for: 5.5 against 5.8 us at 5800 estimated (64-32-10 with 64 samples), 16.4
// against 7.8 at 17800 (64-128-10). Up to the second it is faster than the least that was seen of kernels launched one
// after the other, 25 us.
constexpr double kChipOverGrid = 6000.0, kChipOverSteps = 25000.0;

bool known_way(std::string_view name) {
  return name.empty() || name == "steps" || name == "fastest" || name == "chip" || name == "interpreter" ||
         name == "grid";
}

/// Whether that one way is wanted and nothing in its stead.
bool insists(std::string_view name) { return !name.empty() && name != "fastest"; }

/// Whether another way may be taken for what a way says: steps runs what nothing else can, and needs the least.
bool unfit(const Status& status) { return status.code() != StatusCode::kDeviceFault; }

template <typename Kind>
Result<std::unique_ptr<Way>> as_way(Result<std::unique_ptr<Kind>> made, const Program& program, std::string_view name) {
  if (made.ok()) return std::unique_ptr<Way>(*std::move(made));
  return Status{made.status().code(), fmt::format("way {}: '{}': {}", name, program.title, made.status().message())};
}

/// The way that is wanted, null for steps; the fastest is the first that the program fits.
Result<std::unique_ptr<Way>> choose(const Program& program, DeviceMemory& memory) {
  const std::string_view wanted = wanted_way();
  const auto chip = [&](double most_cycles) {
    return as_way(Chip::make(program, memory, most_cycles), program, "chip");
  };
  const auto interpreter = [&] { return as_way(ChipInterpreter::make(program, memory), program, "interpreter"); };
  const auto grid = [&] { return as_way(Grid::make(program, memory), program, "grid"); };
  // An inference is one call, whose output the host wants.
  if (wanted == "steps" || program.output.present()) return std::unique_ptr<Way>();
  if (wanted == "chip") return chip(Chip::kAnyCycles);
  if (wanted == "interpreter") return interpreter();
  // A call without a loss fills a line and does not come again.
  if (program.loss_value == kNoBuffer) return std::unique_ptr<Way>();
  if (wanted == "grid") return grid();
  if (!Nvrtc::get().ok()) {
    auto way = interpreter();
    if (way.ok() || !unfit(way.status())) return way;
    return std::unique_ptr<Way>();
  }
  if (auto way = chip(kChipOverGrid); way.ok() || !unfit(way.status())) return way;
  if (auto way = grid(); way.ok() || !unfit(way.status())) return way;
  if (auto way = chip(kChipOverSteps); way.ok() || !unfit(way.status())) return way;
  return std::unique_ptr<Way>();
}

}  // namespace

Result<Way*> Ways::get(const Program& program, const DeviceCalls& calls) {
  auto known = program.id == 0 ? entries_.end() : entries_.find(program.id);
  if (known != entries_.end() && known->second.way != nullptr && known->second.way->takes(calls).ok())
    return known->second.way.get();
  if (!known_way(wanted_way()))
    return Status{
        StatusCode::kInvalidArgument,
        fmt::format("WEFT_CUDA_WAY: seen '{}', wanted steps, fastest, chip, interpreter or grid", wanted_way())};
  if (known == entries_.end()) {
    if (entries_.size() >= kMost) entries_.clear();
    const Arguments before = memory_.arguments();
    WEFT_RETURN_IF_ERROR(memory_.reserve_arguments(program));
    if (memory_.arguments() != before) entries_.clear();  // they may have taken down where arguments were
    Entry entry;
    entry.program = std::make_unique<const Program>(program);
    known = entries_.insert_or_assign(program.id, std::move(entry)).first;
  }
  Entry& entry = known->second;
  const bool worthwhile = entry.calls + calls.planned >= kWorthCompiling;
  entry.calls += calls.count;
  if (!entry.settled && (worthwhile || !wanted_way().empty())) {
    WEFT_ASSIGN_OR_RETURN(entry.way, choose(*entry.program, memory_));
    entry.settled = true;
  }
  if (entry.way != nullptr) {
    const Status takes = entry.way->takes(calls);
    if (takes.ok()) return entry.way.get();
    if (insists(wanted_way())) return takes;
  }
  if (entry.steps == nullptr) entry.steps = make_steps(*entry.program, memory_);
  return entry.steps.get();
}

}  // namespace weft::cuda
