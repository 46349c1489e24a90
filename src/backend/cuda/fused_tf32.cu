// Fused products in tf32.
#include "src/backend/cuda/fused_kernel.cuh"

namespace weft::cuda::fused {

cudaError_t launch_tf32(const Job& job, const Launch& launch) { return launch_product<false, 4>(job, launch); }

}  // namespace weft::cuda::fused
