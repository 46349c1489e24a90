// Fused products in tf32 by the tensor copy engine. Tiles and stages: the best of those measured on an H200.
#include "src/backend/cuda/fused_multicast.h"
#include "src/backend/cuda/fused_multicast_kernel.cuh"

namespace weft::cuda::fused {

cudaError_t multicast_tf32(const Job& job, const Launch& launch) {
  if (launch.left_turned)
    return launch_multicast_tile<Warps<Strips<64, false, 4, 2>, Strips<64, false, 4, 2>>, 3>(job, launch);
  if (launch.right_turned)
    return launch_multicast_tile<Quartets<Strips<64, true, 4, 4>, Strips<64, true, 4, 4>>, 3>(job, launch);
  return launch_multicast_tile<Warps<Strips<64, true, 4, 4>, Strips<64, false, 4, 4>>, 3>(job, launch);
}

}  // namespace weft::cuda::fused
