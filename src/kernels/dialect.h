// Dialect: the few words by which kernel bodies differ between compilers. A body is written in the common subset of
// CUDA C++, Metal's C++14 and host C++: no double, no bare pointers, no recursion, no lambdas, functions of <cmath>
// on float only.
#pragma once

#if defined(__CUDACC_RTC__)  // NVRTC has no standard headers; its mathematics is there without
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
#define WEFT_GLOBAL(T) T*  // to memory that every thread of the device sees
#define WEFT_SHARED(T) T*  // to the scratch of one team

namespace weft::kernels {

using Index = std::int64_t;
using std::uint32_t;

// The overloads for float, correct to a few units in the last place: nothing is mapped to a fast intrinsic.
using std::exp;
using std::fabs;
using std::fma;
using std::log;
using std::sqrt;
using std::tanh;

}  // namespace weft::kernels
