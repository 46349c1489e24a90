// Prepared: a program with its operands found in memory, checked once, so that running it again looks nothing up.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/backend/host_memory.h"
#include "src/backend/native_cpu/side_by_side.h"

namespace weft::native_cpu {

struct Step;

/// Does a step in the calling thread; lr is the call's learning rate.
using Kernel = void (*)(const Step& step, double lr);

/// An instruction and where its operands are.
struct Step {
  Kernel kernel = nullptr;  // null: the device's general way
  std::array<void*, 3> in{}, out{};
  std::array<const std::uint64_t*, 3> when{};  // counters of predicates; null: always holds
  bool guarded = false;                        // there is a predicate
  bool by_flag = false;                        // the only one, that a counter is not 0
  float* scratch = nullptr;                    // of the program, for the kernel
  bool of_ring = false, of_call = false;       // an operand is a slot of a ring, the call's argument
  Instruction instruction;

  void find_operands(const HostMemory& memory, const RunArguments& arguments);
  bool due() const { return !guarded || (by_flag ? *when[0] != 0 : all_hold()); }

 private:
  bool all_hold() const;
};

struct Prepared {
  std::vector<Step> steps;
  std::vector<SideBySide> side_by_side;                  // in the order of their steps
  std::vector<float> scratch;                            // of their kernels, one after the other
  bool input = false, target = false;                    // whether the call's arguments are used
  const void *input_at = nullptr, *target_at = nullptr;  // those that operands were found for
  bool has_scratch = false;                              // the device has seen to it

  bool has_arguments(const RunArguments& arguments) const {
    return (!input || arguments.input != nullptr) && (!target || arguments.target != nullptr);
  }
};

/// What has been prepared, by Program::id. Forgets all when memory may have moved.
class PreparedPrograms {
 public:
  /// Errors: as HostMemory::check.
  Result<Prepared*> get(const Program& program, const HostMemory& memory, const RunArguments& arguments, int threads);
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
