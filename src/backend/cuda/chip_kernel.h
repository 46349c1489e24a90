// The interpreter's kernel, which is part of the library.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace weft::cuda {

inline constexpr int kInterpreterThreads = 256;

/// Interprets `program` (a kernels::PlacedProgram) for a member that needs `memory_bytes` of one block's memory; both
/// pointers are to the GPU's memory.
cudaError_t launch_interpreter(const std::byte* program, const std::byte* member, std::size_t memory_bytes,
                               cudaStream_t stream);

}  // namespace weft::cuda
