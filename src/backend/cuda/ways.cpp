// Choosing and keeping ways.
#include "src/backend/cuda/ways.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "src/core/try.h"

namespace weft::cuda {
namespace {

Result<std::unique_ptr<Way>> choose(const Program& program, DeviceMemory& memory) {
  const char* set = std::getenv("WEFT_CUDA_WAY");
  const std::string_view wanted = set == nullptr ? "" : set;
  if (wanted.empty() || wanted == "steps") return make_steps(program, memory);
  return Status{StatusCode::kInvalidArgument, fmt::format("WEFT_CUDA_WAY: seen '{}', wanted steps", wanted)};
}

}  // namespace

Result<Way*> Ways::get(const Program& program) {
  if (const auto known = entries_.find(program.id); program.id != 0 && known != entries_.end())
    return known->second.way.get();
  if (entries_.size() >= kMost) entries_.clear();
  const Arguments before = memory_.arguments();
  WEFT_RETURN_IF_ERROR(memory_.reserve_arguments(program));
  if (memory_.arguments() != before) entries_.clear();  // they may have taken down where arguments were
  Entry entry{std::make_unique<const Program>(program), nullptr};
  WEFT_ASSIGN_OR_RETURN(entry.way, choose(*entry.program, memory_));
  return entries_.insert_or_assign(program.id, std::move(entry)).first->second.way.get();
}

}  // namespace weft::cuda
