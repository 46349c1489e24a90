// Launching single kernels on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/backend/cuda/call_state.h"
#include "src/backend/cuda/forms.h"
#include "src/kernels/step.h"

namespace weft::cuda {

/// Puts the kernel of `step` on the stream; it takes the call's learning rate from `state`, in the GPU's memory.
/// Answers what the launch itself met; faults of the kernel come later.
cudaError_t launch(const kernels::Step& step, const kernels::Operands& operands, const CallState* state,
                   cudaStream_t stream);

/// Tells the GPU of a run of calls: to[i] is the state of the call i further on.
cudaError_t begin(const CallState& state, int count, CallState* to, cudaStream_t stream);

/// to[i] = -(rate of the call) * scales[i]: what updates multiply their products by.
cudaError_t descend(const CallState* state, const float* scales, std::int32_t count, float* to, cudaStream_t stream);

/// Ends a call: tells what it came to (loss 0 and finite 1 where it took none); the state is then that of the call
/// `calls` further on.
cudaError_t record(const float* loss, const std::uint32_t* finite, std::int32_t calls, CallState* state,
                   cudaStream_t stream);

/// Lets the part of a graph that waits for `handle` run where all conditions hold.
cudaError_t decide(const Guard& guard, cudaGraphConditionalHandle handle, cudaStream_t stream);

/// Whether the current GPU can run this library's kernels. Makes the GPU's context.
cudaError_t probe();

}  // namespace weft::cuda
