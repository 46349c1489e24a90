// LossSums: the losses of runs of calls, added up on the GPU while the next calls run, so that only sums travel.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/backend/cuda/device_array.h"
#include "src/backend/cuda/event.h"
#include "src/backend/cuda/loss_sum_kernel.h"
#include "src/backend/cuda/stream.h"

namespace weft::cuda {

class LossSums {
 public:
  /// Runs whose calls are about to run; each's losses are what the sums go on from.
  Status begin(std::vector<SummedRun> runs);
  /// Adds up the next calls of each run, at most so many, once what the stream has by now is done.
  Status add(std::int64_t calls, cudaStream_t stream);
  /// Waits for all that was added up, and thus for its calls. Errors: kDeviceFault starting with `what`.
  Result<std::span<const SummedRun>> finish(std::string_view what);

 private:
  std::vector<SummedRun> runs_;
  DeviceArray<SummedRun> sent_;
  std::int64_t added_ = 0;  // calls of each run
  Stream stream_;
  Event ran_;
};

}  // namespace weft::cuda
