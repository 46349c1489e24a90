// What kernels that sum over many blocks share.
#pragma once

#include "src/backend/cuda/forms.h"
#include "src/kernels/decisions.h"

namespace weft::cuda {

__device__ inline bool is_due(const Guard& guard) {
  return kernels::holds(guard.when[0], guard.at[0]) && kernels::holds(guard.when[1], guard.at[1]) &&
         kernels::holds(guard.when[2], guard.at[2]);
}

inline constexpr unsigned kWarp = 32;

__device__ inline float sum_warp(float mine) {
#pragma unroll
  for (unsigned apart = kWarp / 2; apart > 0; apart /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, apart);
  return mine;
}

/// The sum of every thread's `mine`, for the first warp. scratch: a float for each warp, of which there are at most 32,
/// all of them full.
__device__ inline float sum_block(float mine, float* scratch) {
  mine = sum_warp(mine);
  __syncthreads();  // whoever still reads what lay there
  if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = mine;
  __syncthreads();
  if (threadIdx.x >= kWarp) return 0.0f;
  return sum_warp(threadIdx.x < blockDim.x / kWarp ? scratch[threadIdx.x] : 0.0f);
}

/// The sum of every thread's `mine` over all blocks: the last block to come adds up what each has left, in their order,
/// and one of its threads calls finish(sum). scratch: as sum_block.
template <typename Finish>
__device__ void sum_blocks(float mine, Partials partials, float* scratch, Finish finish) {
  const float here = sum_block(mine, scratch);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partials.sums[blockIdx.x] = here;
    __threadfence();
    last = atomicAdd(partials.ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  float rest = 0.0f;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) rest += __ldcg(partials.sums + i);
  const float all = sum_block(rest, scratch);
  if (threadIdx.x == 0) {
    *partials.ticket = 0;
    finish(all);
  }
}

}  // namespace weft::cuda
