// One block that interprets a program over its own memory.
#include "src/backend/cuda/chip_kernel.h"
#include "src/kernels/interpreter.h"

namespace weft::cuda {
namespace {

using kernels::Member;
using kernels::PlacedProgram;
using kernels::Team;

__global__ void __launch_bounds__(kInterpreterThreads, 1)
    interpret_kernel(const PlacedProgram* program, const Member* member) {
  extern __shared__ __align__(16) float memory[];
  const int floats = program->floats;
  for (int i = static_cast<int>(threadIdx.x); i < floats; i += kInterpreterThreads) memory[i] = 0.0f;
  __syncthreads();
  kernels::interpret(Team{threadIdx.x, blockDim.x, 0, 1, memory + program->scratch_at}, memory, program, member);
}

}  // namespace

cudaError_t launch_interpreter(const std::byte* program, const std::byte* member, std::size_t memory_bytes,
                               cudaStream_t stream) {
  // All there is, not what this program needs: other threads launch the same kernel for other programs.
  int device = 0, most = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(interpret_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  if (error != cudaSuccess) return error;
  interpret_kernel<<<1, kInterpreterThreads, memory_bytes, stream>>>(reinterpret_cast<const PlacedProgram*>(program),
                                                                     reinterpret_cast<const Member*>(member));
  return cudaGetLastError();
}

}  // namespace weft::cuda
