// Prepared: a program with its operands found in memory, checked once, so that running it again looks nothing up.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/backend/host_memory.h"

namespace weft::native_cpu {

/// An instruction and where its operands are.
struct Step {
  Instruction instruction;
  std::array<void*, 3> in{}, out{};
  std::array<const std::uint64_t*, 3> when{};  // counters of predicates; null: always holds
  bool guarded = false;                        // there is a predicate
  bool moving = false;                         // an operand is the call's argument or a slot of a ring

  void find_operands(const HostMemory& memory, const RunArguments& arguments);
  bool due() const;
};

struct Prepared {
  std::vector<Step> steps;
  bool input = false, target = false;  // whether the call's arguments are used
  bool has_scratch = false;            // the device has seen to it

  bool has_arguments(const RunArguments& arguments) const {
    return (!input || arguments.input != nullptr) && (!target || arguments.target != nullptr);
  }
};

/// What has been prepared, by Program::id. Forgets all when memory may have moved.
class PreparedPrograms {
 public:
  /// Errors: as HostMemory::check.
  Result<Prepared*> get(const Program& program, const HostMemory& memory, const RunArguments& arguments);
  void forget() { programs_.clear(), last_ = nullptr; }

 private:
  static constexpr std::size_t kMost = 512;  // more than a session keeps

  /// Null where it is not known. A program without an id never is.
  Prepared* find(std::uint64_t id);

  std::unordered_map<std::uint64_t, Prepared> programs_;
  std::uint64_t last_id_ = 0;
  Prepared* last_ = nullptr;
};

}  // namespace weft::native_cpu
