// What compiled kernels call (tests/metal/include/metal_stdlib): barriers, mathematics, what lanes tell each other.
#include <cmath>
#include <cstdint>

#include "tests/support/fibers.h"

using weft::test::Fibers;

#define WEFT_BUILTIN extern "C" __attribute__((visibility("default")))
// The place of a call: the compiler of kernels never makes two of one barrier.
#define WEFT_PLACE() __builtin_return_address(0)

WEFT_BUILTIN void weft_kernel_barrier() { Fibers::barrier(WEFT_PLACE()); }
WEFT_BUILTIN void weft_kernel_simd_barrier() { Fibers::meet_lanes(WEFT_PLACE()); }
WEFT_BUILTIN std::uint32_t weft_kernel_shuffle(std::uint32_t value, std::uint32_t lane) {
  const std::uint32_t first = Fibers::rank() / Fibers::kLanes * Fibers::kLanes;
  return Fibers::exchange(value, first + lane, WEFT_PLACE());
}
WEFT_BUILTIN std::uint32_t weft_kernel_shuffle_xor(std::uint32_t value, std::uint32_t mask) {
  return Fibers::exchange(value, Fibers::rank() ^ mask, WEFT_PLACE());
}

WEFT_BUILTIN float weft_kernel_exp(float x) { return std::exp(x); }
WEFT_BUILTIN float weft_kernel_log(float x) { return std::log(x); }
WEFT_BUILTIN float weft_kernel_tanh(float x) { return std::tanh(x); }
WEFT_BUILTIN float weft_kernel_fma(float a, float b, float c) { return std::fma(a, b, c); }
