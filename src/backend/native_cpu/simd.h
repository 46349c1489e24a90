// Elementwise loops in the widest vectors that this machine has, chosen when the program runs.
#pragma once

#include <cstdint>
#include <string>

#include "weft/activation.hpp"

namespace weft::native_cpu {

/// y = act(z). y may be z. NaN stays NaN. tanh within 4 ulp, silu and sigmoid within 4, gelu (its tanh form) within 4
/// of z, where the products in it allow; docs/performance.md has what was measured.
void activate(Activation activation, std::int64_t count, const float* z, float* y);

/// d = (scale g) * act'(z). d may be g.
void activation_gradient(Activation activation, std::int64_t count, float scale, const float* g, const float* z,
                         float* d);

/// The vectors used: "AVX3", "AVX2", "NEON".
std::string simd_name();

}  // namespace weft::native_cpu
