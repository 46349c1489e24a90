// Choosing and keeping ways.
#include "src/backend/metal/ways.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "src/backend/metal/chip.h"
#include "src/backend/metal/steps.h"
#include "src/core/try.h"

namespace weft::metal {
namespace {

/// The environment's wish.
std::string_view wanted_way() {
  const char* set = std::getenv("WEFT_METAL_WAY");
  return set == nullptr || *set == '\0' ? "fastest" : set;
}

/// The program's way other than steps; null where it has none.
Result<std::unique_ptr<Way>> choose(const Program& program, const Memory& memory) {
  // An inference is one call, whose output the host wants.
  if (wanted_way() == "steps" || program.output.present()) return std::unique_ptr<Way>();
  const bool insists = wanted_way() == "chip";
  // A call without a loss fills a line and does not come again.
  if (!insists && program.loss_value == kNoBuffer) return std::unique_ptr<Way>();
  Result<std::unique_ptr<Chip>> chip = Chip::make(program, memory);
  if (chip.ok()) return std::unique_ptr<Way>(*std::move(chip));
  // Steps runs what nothing else can, and needs the least.
  if (!insists && chip.status().code() != StatusCode::kDeviceFault) return std::unique_ptr<Way>();
  return Status{chip.status().code(), fmt::format("way chip: '{}': {}", program.title, chip.status().message())};
}

}  // namespace

void Ways::forget_places() {
  if (layout_ == memory_.layout()) return;
  for (auto& [id, entry] : entries_) {
    if (const auto* chip = dynamic_cast<const Chip*>(entry.way.get()); chip != nullptr) entry.library = chip->library();
    entry.way.reset(), entry.steps.reset();
    entry.settled = false;
  }
  layout_ = memory_.layout();
}

Result<Way*> Ways::get(const Program& program, const DeviceCalls& calls) {
  const std::string_view wanted = wanted_way();
  if (wanted != "fastest" && wanted != "steps" && wanted != "chip")
    return Status{StatusCode::kInvalidArgument,
                  fmt::format("WEFT_METAL_WAY: seen '{}', wanted fastest, steps or chip", wanted)};
  forget_places();
  auto known = program.id == 0 ? entries_.end() : entries_.find(program.id);
  if (known == entries_.end()) {
    if (entries_.size() >= kMost) entries_.clear();
    WEFT_RETURN_IF_ERROR(memory_.reserve_arguments(program));
    Entry entry;
    entry.program = std::make_unique<const Program>(program);
    known = entries_.insert_or_assign(program.id, std::move(entry)).first;
  }
  Entry& entry = known->second;
  const bool worthwhile = entry.calls + calls.planned >= kWorthCompiling;
  entry.calls += calls.count;
  if (!entry.settled && (worthwhile || wanted != "fastest")) {
    WEFT_ASSIGN_OR_RETURN(entry.way, choose(*entry.program, memory_));
    entry.settled = true;
  }
  if (entry.way != nullptr) {
    const Status takes = entry.way->takes(calls);
    if (takes.ok()) return entry.way.get();
    if (wanted == "chip") return takes;
  }
  if (entry.steps == nullptr) {
    WEFT_ASSIGN_OR_RETURN(entry.steps, Steps::make(*entry.program, memory_));
  }
  return entry.steps.get();
}

}  // namespace weft::metal
