// Train: the kernel of a generated program, in the form that each device starts. WEFT_TRAIN(P, threads, floats) is the
// whole of it; P is what residence.h says of it.
#pragma once

#include "src/kernels/residence.h"

#if defined(__METAL_VERSION__)
using namespace weft::kernels;  // as in entries.h

#if WEFT_LANES == 1
#define WEFT_PLACE uint rank [[thread_position_in_threadgroup]]
#define WEFT_THREAD() \
  Thread { static_cast<int>(rank), static_cast<int>(rank), 0 }
#else
#define WEFT_PLACE uint warp [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]
#define WEFT_THREAD() \
  Thread { static_cast<int>(warp * WEFT_LANES + lane), static_cast<int>(warp), static_cast<int>(lane) }
#endif
#define WEFT_TRAIN(P, threads, floats)                                                                               \
  [[max_total_threads_per_threadgroup(threads)]] kernel void train(                                                  \
      constant MemberCalls& calls [[buffer(0)]], device const HeldPlace* places [[buffer(1)]],                       \
      device float* memory [[buffer(2)]], device const float* inputs [[buffer(3)]],                                  \
      device const float* targets [[buffer(4)]], device const int32_t* order [[buffer(5)]],                          \
      device const float* rates [[buffer(6)]], device CallOutcome* outcomes [[buffer(7)]], WEFT_PLACE) {             \
    threadgroup float arena[floats];                                                                                 \
    const Thread me = WEFT_THREAD();                                                                                 \
    const HeldBuffers held{memory, places};                                                                          \
    const Member member{inputs,      targets,    calls.ordered != 0 ? order : nullptr, rates, outcomes, calls.clock, \
                        calls.count, calls.batch};                                                                   \
    reside<P>(arena, me, member, held);                                                                              \
  }
#else
#if defined(__CUDACC__)
#define WEFT_THREAD()                                                                                     \
  weft::kernels::Thread {                                                                                 \
    static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.x / 32), static_cast<int>(threadIdx.x % 32) \
  }
#define WEFT_TRAIN(P, threads, floats)                                                  \
  extern "C" __global__ void __launch_bounds__(threads, 1) train(const void* members) { \
    extern __shared__ __align__(16) float arena[];                                      \
    weft::kernels::reside_as<P>(arena, WEFT_THREAD(), members, blockIdx.x);             \
  }
#else  // host C++
#ifndef WEFT_THREAD
#define WEFT_THREAD() \
  weft::kernels::Thread { 0, 0, 0 }
#endif
#define WEFT_TRAIN(P, threads, floats)    \
  alignas(16) static float arena[floats]; \
  extern "C" void train(const void* members) { weft::kernels::reside_as<P>(arena, WEFT_THREAD(), members, 0); }
#endif

namespace weft {
namespace kernels {

/// Trains member `block` of those that lie one behind the other, each followed by its buffers.
template <typename P>
WEFT_INLINE void reside_as(WEFT_SHARED(float) arena, Thread me, WEFT_FAR(const void) members, unsigned block) {
  const Index bytes = static_cast<Index>(sizeof(Member) + P::kHeld * sizeof(Held));
  const auto* member = reinterpret_cast<WEFT_FAR(const Member)>(static_cast<WEFT_FAR(const char)>(members) +
                                                                static_cast<Index>(block) * bytes);
  reside<P>(arena, me, *member, member->held());
}

}  // namespace kernels
}  // namespace weft
#endif
