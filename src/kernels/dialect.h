// Dialect: the few words by which kernel bodies differ between compilers. A body is written in the common subset of
// CUDA C++, Metal's C++14 and host C++: no double, no bare pointers or references, no recursion, no lambdas, no
// `if constexpr`, functions of <cmath> on float only, structs passed as WEFT_ARG, and none of Metal's words as a name.
#pragma once

#if defined(__METAL_VERSION__)
#include <metal_stdlib>
#pragma METAL fp contract(off)
#elif defined(__CUDACC_RTC__)  // NVRTC has no standard headers; its mathematics is there without
namespace std {
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long long;
using uint64_t = unsigned long long;
using ::exp;
using ::fabs;
using ::fma;
using ::log;
using ::sqrt;
using ::tanh;
}  // namespace std
#else
#include <cmath>
#include <cstdint>
#endif

#if defined(__METAL_VERSION__)
#define WEFT_DEVICE static inline
#define WEFT_METHOD
#define WEFT_ANYWHERE static inline
#define WEFT_CONSTANT constexpr constant
#define WEFT_STATIC static constexpr constant
#define WEFT_BARRIER() metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup)  // scratch is all that is shared
#define WEFT_FAR(T) device T*
#define WEFT_SHARED(T) threadgroup T*
#define WEFT_ARG(T) thread const T&
#define WEFT_OWN(T) thread T&
#if defined(WEFT_ON_CHIP)
#define WEFT_GLOBAL(T) threadgroup T*
#define WEFT_UNIFORM(T) thread const T&
#else
#define WEFT_GLOBAL(T) device T*
#define WEFT_UNIFORM(T) constant T&
#endif
#else
#if defined(__CUDACC__)
#define WEFT_DEVICE __device__ inline             // a function that threads of a device call
#define WEFT_METHOD __device__                    // a member function of the same kind
#define WEFT_ANYWHERE __host__ __device__ inline  // a function that the host calls too
#define WEFT_BARRIER() __syncthreads()
#else  // host C++: one thread is the whole team, but where an emulator of many says what a barrier is
#define WEFT_DEVICE inline
#define WEFT_METHOD
#define WEFT_ANYWHERE inline
#ifndef WEFT_BARRIER
#define WEFT_BARRIER() static_cast<void>(0)
#endif
#endif
#define WEFT_CONSTANT constexpr       // a number of a namespace
#define WEFT_STATIC static constexpr  // a number of a struct
#define WEFT_FAR(T) T*                // to memory that every thread of the device sees
#define WEFT_SHARED(T) T*             // to the scratch of one team
#define WEFT_GLOBAL(T) T*             // to a step's operands: far, or shared where a whole program is on chip
#define WEFT_ARG(T) T                 // a struct that a function is given
#define WEFT_OWN(T) T&                // a variable of the calling thread
#define WEFT_UNIFORM(T) T             // a struct that is the same for all threads
#endif

namespace weft {
namespace kernels {

#if defined(__METAL_VERSION__)
using namespace metal;
#else
using std::int32_t;
using std::int64_t;
using std::uint32_t;
using std::uint64_t;

// The overloads for float, correct to a few units in the last place: nothing is mapped to a fast intrinsic.
using std::exp;
using std::fabs;
using std::fma;
using std::log;
using std::sqrt;
using std::tanh;
#endif

using Index = int64_t;

}  // namespace kernels
}  // namespace weft
