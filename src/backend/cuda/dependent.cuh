// Dependent launches: a kernel's blocks may be there before the kernel ahead of it on the stream has ended, and wait
// for it on the GPU, which takes less time than starting then.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace weft::cuda {

/// The first thing that every thread of a kernel of launch_dependent does: before, nothing of memory may be looked at.
__device__ inline void wait_for_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Whether the current GPU and the code for it know such launches.
bool has_dependent_launches();

/// shared_bytes: of each block, besides what the kernel declares.
template <typename... Parameters, typename... Arguments>
cudaError_t launch_dependent_with(int shared_bytes, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                  cudaStream_t stream, const Arguments&... arguments) {
  if (shared_bytes > 0) {
    const cudaError_t allowed = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (allowed != cudaSuccess) return allowed;
  }
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks, config.blockDim = threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = has_dependent_launches() ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch_dependent(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
                             const Arguments&... arguments) {
  return launch_dependent_with(0, kernel, blocks, threads, stream, arguments...);
}

}  // namespace weft::cuda
