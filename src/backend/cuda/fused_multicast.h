// Fused products by the tensor copy engine of GPUs of compute capability 9.0.
#pragma once

#include "src/backend/cuda/fused_job.cuh"

namespace weft::cuda::fused {

// Each puts one kernel on the stream. Left and right both turned does not occur.
cudaError_t multicast_tf32(const Job& job, const Launch& launch);
cudaError_t multicast_bfloat16(const Job& job, const Launch& launch);

}  // namespace weft::cuda::fused
