// Adding up the losses of calls on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/backend/run_losses.h"
#include "src/kernels/outcome.h"

namespace weft::cuda {

/// A run of calls, in the GPU's memory.
struct SummedRun {
  const kernels::CallOutcome* outcomes;
  std::int64_t count;
  RunLosses losses;
};

/// Adds the losses of the calls from `first` on, at most `most` of them, to those of each run, in their order.
cudaError_t sum_losses(SummedRun* runs, std::size_t count, std::int64_t first, std::int64_t most, cudaStream_t stream);

}  // namespace weft::cuda
