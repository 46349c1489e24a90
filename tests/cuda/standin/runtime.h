// A CUDA runtime without a GPU: memory is the host's, what is put on a stream runs at once, and graphs run what was
// captured into them in any order that their edges allow.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace weft::standin {

/// Runs `work`, or captures it where the stream is being captured.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// Decides on a part of a graph.
void set_condition(cudaGraphConditionalHandle handle, bool holds);

}  // namespace weft::standin
