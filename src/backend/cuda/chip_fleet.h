// ChipFleet: networks of one kernel that train in common launches, a block for each. Orders and rates that are the same
// place in the caller's memory go to the GPU once.
#pragma once

#include <span>
#include <vector>

#include "src/backend/cuda/chip.h"
#include "src/backend/cuda/loss_sums.h"
#include "src/backend/cuda/shared_arrays.h"

namespace weft::cuda {

class ChipFleet {
 public:
  struct Part {
    Chip* chip;
    const CallRun* calls;
  };

  /// Runs all calls of all parts, one at least, and tells their losses. The chips have one kernel() and lie on one GPU,
  /// which is the thread's; their streams are idle. Errors: as Backend::run_calls.
  Status run(std::span<const Part> parts);

 private:
  /// Room for all that the calls need, and the calls with their places in it.
  Result<std::vector<Chip::Part>> reserve(std::span<const Part> parts);
  /// The calls [first, first + count) of every part that has some of them.
  static std::vector<Chip::Part> cut(std::span<const Chip::Part> all, std::int32_t first, std::int32_t count);
  Status train(std::span<const Chip::Part> all, cudaStream_t stream);
  /// Starts copying what a piece needs. members: where the GPU gets to know its blocks' needs.
  Status send(std::span<const Chip::Part> piece, std::int32_t first, std::int32_t count, std::byte* members);

  SharedArrays<std::int64_t, std::int32_t> orders_;
  SharedArrays<double, float> rates_;
  std::vector<std::byte> members_sent_;
  DeviceArray<std::byte> members_;
  DeviceArray<kernels::CallOutcome> outcomes_;
  Upload upload_;
  Stream aside_;  // for what is sent meanwhile
  Event sent_;
  LossSums sums_;
};

}  // namespace weft::cuda
