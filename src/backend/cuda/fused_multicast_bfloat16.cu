// Fused products in bfloat16 by the tensor copy engine. Tiles and stages: the best of those measured on an H200.
#include "src/backend/cuda/fused_multicast.h"
#include "src/backend/cuda/fused_multicast_kernel.cuh"

namespace weft::cuda::fused {

cudaError_t multicast_bfloat16(const Job& job, const Launch& launch) {
  if (launch.left_turned)
    return launch_multicast_tile<Quartets<Strips<64, false, 2, 2>, Strips<64, false, 2, 2>>, 3>(job, launch);
  if (launch.right_turned)
    return launch_multicast_tile<Quartets<Strips<64, true, 2, 4>, Strips<64, true, 2, 4>>, 3>(job, launch);
  return launch_multicast_tile<Quartets<Strips<64, true, 2, 2>, Strips<64, false, 2, 2>>, 3>(job, launch);
}

}  // namespace weft::cuda::fused
