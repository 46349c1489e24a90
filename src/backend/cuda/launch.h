// Launching one step on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "src/kernels/step.h"

namespace weft::cuda {

/// Puts the kernel of `step` on the stream. Answers what the launch itself met; faults of the kernel come later.
cudaError_t launch(const kernels::Step& step, const kernels::Operands& operands, cudaStream_t stream);

/// Whether the current GPU can run this library's kernels. Makes the GPU's context.
cudaError_t probe();

}  // namespace weft::cuda
