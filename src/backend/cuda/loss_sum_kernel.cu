// A warp a run: its lanes fetch the losses of some hundred calls at a time, and all make the same sum of them.
#include <algorithm>

#include "src/backend/cuda/loss_sum_kernel.h"

namespace weft::cuda {
namespace {

using kernels::CallOutcome;

constexpr int kLanes = 32, kOfLane = 8, kPart = kLanes * kOfLane;
constexpr double kNothing = -0.0;  // x + kNothing is x, also where x is -0.0

/// The outcomes of a part that are a lane's, on their way. Above `end`: not finite.
struct Fetched {
  CallOutcome outcomes[kOfLane];

  __device__ void start(const CallOutcome* from, std::int64_t first, std::int64_t end) {
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
      const std::int64_t at = first + i * kLanes + threadIdx.x;
      outcomes[i] = at < end ? from[at] : CallOutcome{0.0f, 0};
    }
  }
};

__global__ void __launch_bounds__(kLanes) sum_kernel(SummedRun* runs, std::int64_t first, std::int64_t most) {
  __shared__ __align__(16) double losses[kPart];
  SummedRun& run = runs[blockIdx.x];
  const std::int64_t end = run.count - first < most ? run.count : first + most;
  // Lane 0 makes one sum and lane 1 the other; the rest keep them company.
  LossSum& to = threadIdx.x == 1 ? run.losses.recent : run.losses.all;
  double sum = to.sum;
  int finite = 0;
  Fetched next;
  next.start(run.outcomes, first, end);
  for (std::int64_t part = first; part < end; part += kPart) {
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
      const CallOutcome call = next.outcomes[i];
      losses[i * kLanes + threadIdx.x] = call.finite != 0 ? static_cast<double>(call.loss) : kNothing;
      finite += call.finite != 0 ? 1 : 0;
    }
    __syncwarp();
    next.start(run.outcomes, part + kPart, end);
#pragma unroll 64
    for (int i = 0; i < kPart; ++i) sum += losses[i];
    __syncwarp();
  }
  finite = static_cast<int>(__reduce_add_sync(~0u, static_cast<unsigned>(finite)));
  if (threadIdx.x < 2) to.sum = sum, to.count += finite;
}

}  // namespace

cudaError_t sum_losses(SummedRun* runs, std::size_t count, std::int64_t first, std::int64_t most, cudaStream_t stream) {
  sum_kernel<<<static_cast<unsigned>(count), kLanes, 0, stream>>>(runs, first, most);
  return cudaGetLastError();
}

}  // namespace weft::cuda
