// What kernels that sum over many blocks share.
#pragma once

#include "src/backend/cuda/forms.h"
#include "src/kernels/decisions.h"
#include "src/kernels/reductions.h"

namespace weft::cuda {

__device__ inline bool is_due(const Guard& guard) {
  return kernels::holds(guard.when[0], guard.at[0]) && kernels::holds(guard.when[1], guard.at[1]) &&
         kernels::holds(guard.when[2], guard.at[2]);
}

/// The sum of every thread's `mine` over all blocks: the last block to come adds up what each has left, in their order,
/// and one of its threads calls finish(sum). scratch: as many floats as a block has threads.
template <typename Finish>
__device__ void sum_blocks(float mine, Partials partials, float* scratch, Finish finish) {
  const kernels::Team team{threadIdx.x, blockDim.x, 0, 1, scratch};
  const float here = kernels::sum(team, mine);
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
  const float all = kernels::sum(team, rest);
  if (threadIdx.x == 0) {
    *partials.ticket = 0;
    finish(all);
  }
}

}  // namespace weft::cuda
