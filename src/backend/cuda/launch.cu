// The CUDA entries: one kernel per instruction, made of src/kernels/run_step.h and spread as kernels.def says.
#include <algorithm>

#include "src/backend/cuda/dependent.cuh"
#include "src/backend/cuda/launch.h"
#include "src/kernels/outcome.h"
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
    step_kernel(const Step step, const Operands operands, const CallState* state) {
  __shared__ float scratch[kernels::kScratchFloats];
  wait_for_before();
  // Every thread sees the same counters, so a block leaves as a whole or not at all.
  if (!kernels::is_due(step, operands)) return;
  constexpr bool kHasRate = op == Op::kApply || op == Op::kUpdate || op == Op::kBiasUpdate || op == Op::kAscend;
  const float rate = kHasRate ? state->rates[state->call] : 0.0f;
  kernels::run_step(op, Team{threadIdx.x, blockDim.x, blockIdx.x, gridDim.x, scratch}, step, rate, operands);
}

struct Shape {
  unsigned groups, threads;
};

unsigned count(Index groups) { return static_cast<unsigned>(std::clamp<Index>(groups, 1, kMostGroups)); }
Shape kElements(Index items) { return {count((items + kThreads - 1) / kThreads), kThreads}; }
Shape kTiles(Index items) { return {count(items), kThreads}; }
Shape kOneGroup(Index) { return {1, kOneGroupThreads}; }
Shape kOneThread(Index) { return {1, 1}; }

using Kernel = void (*)(Step, Operands, const CallState*);

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

__global__ void begin_kernel(const CallState state, CallState* to) {
  wait_for_before();
  to[threadIdx.x] = state;
  to[threadIdx.x].call += static_cast<std::int32_t>(threadIdx.x);
}

__global__ void descend_kernel(const CallState* state, const float* scales, std::int32_t count, float* to) {
  wait_for_before();
  const float rate = state->rates[state->call];
  for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x); i < count; i += static_cast<std::int32_t>(blockDim.x))
    to[i] = -(rate * scales[i]);
}

__global__ void record_kernel(const float* loss, const std::uint32_t* finite, std::int32_t calls, CallState* state) {
  wait_for_before();
  state->outcomes[state->call] = loss == nullptr ? kernels::CallOutcome{0.0f, 1} : kernels::CallOutcome{*loss, *finite};
  state->call += calls;
}

__global__ void decide_kernel(const Guard guard, cudaGraphConditionalHandle handle) {
  bool due = true;
  for (int i = 0; i < 3; ++i) due = due && kernels::holds(guard.when[i], guard.at[i]);
  cudaGraphSetConditional(handle, due ? 1 : 0);
}

}  // namespace

bool has_dependent_launches() {
  // What was compiled for older ones and translated does not wait.
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, step_kernel<Op::kZero>) == cudaSuccess && attributes.ptxVersion >= 90;
}

cudaError_t launch(const Step& step, const Operands& operands, const CallState* state, cudaStream_t stream) {
  const Launch it = launch_of(step);
  if (it.kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  launch_dependent(it.kernel, it.shape.groups, it.shape.threads, stream, step, operands, state);
  return cudaGetLastError();
}

cudaError_t begin(const CallState& state, int count, CallState* to, cudaStream_t stream) {
  launch_dependent(begin_kernel, 1, static_cast<unsigned>(count), stream, state, to);
  return cudaGetLastError();
}

cudaError_t descend(const CallState* state, const float* scales, std::int32_t count, float* to, cudaStream_t stream) {
  launch_dependent(descend_kernel, 1, 32, stream, state, scales, count, to);
  return cudaGetLastError();
}

cudaError_t record(const float* loss, const std::uint32_t* finite, std::int32_t calls, CallState* state,
                   cudaStream_t stream) {
  launch_dependent(record_kernel, 1, 1, stream, loss, finite, calls, state);
  return cudaGetLastError();
}

cudaError_t decide(const Guard& guard, cudaGraphConditionalHandle handle, cudaStream_t stream) {
  decide_kernel<<<1, 1, 0, stream>>>(guard, handle);
  return cudaGetLastError();
}

cudaError_t probe() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, step_kernel<Op::kZero>);
}

}  // namespace weft::cuda
