// Fused products in bfloat16.
#include "src/backend/cuda/fused_kernel.cuh"

namespace weft::cuda::fused {

cudaError_t launch_bfloat16(const Job& job, const Launch& launch) { return launch_product<false, 2>(job, launch); }

}  // namespace weft::cuda::fused
