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

// Cycles of a call, as estimated (about half of what is measured), up to which one block beats a grid's barriers, and
// up to which it beats kernels that are launched one after the other.
constexpr double kChipOverGrid = 5000.0, kChipOverSteps = 18000.0;

bool known_way(std::string_view name) {
  return name.empty() || name == "steps" || name == "fastest" || name == "chip" || name == "interpreter" ||
         name == "grid";
}

/// Whether another way may be taken for what a way says.
bool unfit(const Status& status) {
  return status.code() == StatusCode::kUnsupported || status.code() == StatusCode::kNotFound;
}

template <typename Kind>
Result<std::unique_ptr<Way>> as_way(Result<std::unique_ptr<Kind>> made, const Program& program, std::string_view name) {
  if (made.ok()) return std::unique_ptr<Way>(*std::move(made));
  return Status{made.status().code(), fmt::format("way {}: '{}': {}", name, program.title, made.status().message())};
}

/// The way that is wanted; "fastest" is the first that the program fits, and what all others refuse runs in steps.
Result<std::unique_ptr<Way>> choose(const Program& program, DeviceMemory& memory) {
  const std::string_view wanted = wanted_way();
  const auto chip = [&](double most_cycles) {
    return as_way(Chip::make(program, memory, most_cycles), program, "chip");
  };
  const auto interpreter = [&] { return as_way(ChipInterpreter::make(program, memory), program, "interpreter"); };
  const auto grid = [&] { return as_way(Grid::make(program, memory), program, "grid"); };
  // An inference is one call, whose output the host wants. Unasked, nothing runs that has not passed all golden cases
  // and all modes on a GPU.
  if (wanted.empty() || wanted == "steps" || program.output.present()) return make_steps(program, memory);
  if (wanted == "chip") return chip(Chip::kAnyCycles);
  if (wanted == "interpreter") return interpreter();
  // A call without a loss fills a line and does not come again.
  if (program.loss_value == kNoBuffer) return make_steps(program, memory);
  if (wanted == "grid") return grid();
  if (!Nvrtc::get().ok()) {
    auto way = interpreter();
    return way.ok() || !unfit(way.status()) ? std::move(way) : make_steps(program, memory);
  }
  if (auto way = chip(kChipOverGrid); way.ok() || !unfit(way.status())) return way;
  if (auto way = grid(); way.ok() || !unfit(way.status())) return way;
  if (auto way = chip(kChipOverSteps); way.ok() || !unfit(way.status())) return way;
  return make_steps(program, memory);
}

}  // namespace

Result<Way*> Ways::get(const Program& program, std::int64_t calls) {
  if (!known_way(wanted_way()))
    return Status{
        StatusCode::kInvalidArgument,
        fmt::format("WEFT_CUDA_WAY: seen '{}', wanted steps, fastest, chip, interpreter or grid", wanted_way())};
  auto known = program.id == 0 ? entries_.end() : entries_.find(program.id);
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
  entry.calls += calls;
  if (!entry.settled && (entry.calls >= kWorthCompiling || wanted_way() != "fastest")) {
    WEFT_ASSIGN_OR_RETURN(entry.way, choose(*entry.program, memory_));
    entry.settled = true;
  }
  if (entry.way == nullptr) entry.way = make_steps(*entry.program, memory_);
  return entry.way.get();
}

}  // namespace weft::cuda
