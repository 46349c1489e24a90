// The CUDA entries: one kernel per instruction, made of src/kernels/run_step.h and spread as kernels.def says.
#include <algorithm>

#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/outcome.h"
#include "src/kernels/run_step.h"

namespace weft::cuda {
namespace {

using kernels::Index;
using kernels::Op;
using kernels::Operands;
using kernels::Step;
using kernels::Team;

// 256 threads fill a multiprocessor in eight blocks; a sum by one block alone takes as many as a block can have.
constexpr unsigned kThreads = 256, kOneGroupThreads = 1024;
constexpr Index kMostGroups = 1 << 16;  // more items than these have threads are taken in turns
static_assert(kernels::kScratchFloats >= kOneGroupThreads);

template <Op op>
__global__ void __launch_bounds__(kOneGroupThreads)
    step_kernel(const Step step, const Operands operands, const float* rate) {
  __shared__ float scratch[kernels::kScratchFloats];
  // Every thread sees the same counters, so a block leaves as a whole or not at all.
  if (!kernels::is_due(step, operands)) return;
  kernels::run_step(op, Team{threadIdx.x, blockDim.x, blockIdx.x, gridDim.x, scratch}, step, *rate, operands);
}

struct Shape {
  unsigned groups, threads;
};

unsigned count(Index groups) { return static_cast<unsigned>(std::clamp<Index>(groups, 1, kMostGroups)); }
Shape kElements(Index items) { return {count((items + kThreads - 1) / kThreads), kThreads}; }
Shape kTiles(Index items) { return {count(items), kThreads}; }
Shape kOneGroup(Index) { return {1, kOneGroupThreads}; }
Shape kOneThread(Index) { return {1, 1}; }

using Kernel = void (*)(Step, Operands, const float*);

struct Launch {
  Kernel kernel;
  Shape shape;
};

Launch launch_of(const Step& s) {
  using kernels::tiles_along;
  switch (s.op) {
#define WEFT_KERNEL(identifier, spread, items) \
  case Op::k##identifier:                      \
    return {step_kernel<Op::k##identifier>, spread(items)};
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL
  }
  return {nullptr, {}};
}

__global__ void gather_kernel(const Batch batch, const float* from, Index elements, float* to) {
  const Index first = static_cast<Index>(batch.call) * batch.batch, all = batch.batch * elements;
  const Index stride = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += stride) {
    const Index row = first + i / elements;
    to[i] = from[(batch.order == nullptr ? row : batch.order[row]) * elements + i % elements];
  }
}

__global__ void record_kernel(const float* loss, const std::uint32_t* finite, Outcome* to) {
  *to = loss == nullptr ? Outcome{0.0f, 1} : Outcome{*loss, *finite};
}

}  // namespace

cudaError_t launch(const Step& step, const Operands& operands, const float* rate, cudaStream_t stream) {
  const Launch it = launch_of(step);
  if (it.kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  it.kernel<<<it.shape.groups, it.shape.threads, 0, stream>>>(step, operands, rate);
  return cudaGetLastError();
}

cudaError_t gather(const Batch& batch, const float* from, std::int64_t elements, float* to, cudaStream_t stream) {
  if (elements == 0) return cudaSuccess;
  const Shape shape = kElements(batch.batch * elements);
  gather_kernel<<<shape.groups, shape.threads, 0, stream>>>(batch, from, elements, to);
  return cudaGetLastError();
}

cudaError_t record(const float* loss, const std::uint32_t* finite, Outcome* to, cudaStream_t stream) {
  record_kernel<<<1, 1, 0, stream>>>(loss, finite, to);
  return cudaGetLastError();
}

cudaError_t probe() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, step_kernel<Op::kZero>);
}

}  // namespace weft::cuda
