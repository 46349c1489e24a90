// Launching single kernels on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/kernels/step.h"

namespace weft::cuda {

struct Outcome;

/// Puts the kernel of `step` on the stream; it reads the learning rate at `rate`, in the GPU's memory. Answers what the
/// launch itself met; faults of the kernel come later.
cudaError_t launch(const kernels::Step& step, const kernels::Operands& operands, const float* rate,
                   cudaStream_t stream);

/// Which samples make the batch of a call: order[call * batch ...], or those very numbers where order is null.
struct Batch {
  const std::int32_t* order;
  std::int32_t call, batch;
};

/// to[batch, elements] = rows of `from` that the batch names
cudaError_t gather(const Batch& batch, const float* from, std::int64_t elements, float* to, cudaStream_t stream);

/// What a call came to; loss 0 and finite 1 where it took none (null).
cudaError_t record(const float* loss, const std::uint32_t* finite, Outcome* to, cudaStream_t stream);

/// Whether the current GPU can run this library's kernels. Makes the GPU's context.
cudaError_t probe();

}  // namespace weft::cuda
