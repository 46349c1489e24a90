// Fused products in float32.
#include "src/backend/cuda/fused_kernel.cuh"

namespace weft::cuda::fused {

cudaError_t launch_float32(const Job& job, const Launch& launch) { return launch_product<true, 4>(job, launch); }

}  // namespace weft::cuda::fused
