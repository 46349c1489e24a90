// Elementwise activations. activation and derivative are functions of the pre-activation z.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

enum class Activation : std::uint8_t { kLinear, kRelu, kRelu2, kLeakyRelu, kSilu, kGelu, kTanh, kSigmoid };

inline constexpr int kActivationCount = 8;

// Short names for model descriptions: weft::dense(784, 256, weft::relu).
inline constexpr Activation linear = Activation::kLinear;
inline constexpr Activation relu = Activation::kRelu;
inline constexpr Activation relu2 = Activation::kRelu2;
inline constexpr Activation leakyrelu = Activation::kLeakyRelu;
inline constexpr Activation silu = Activation::kSilu;
inline constexpr Activation gelu = Activation::kGelu;
inline constexpr Activation tanh = Activation::kTanh;
inline constexpr Activation sigmoid = Activation::kSigmoid;

std::string_view to_string(Activation activation);

/// Parses a name without regard to case. Errors: kInvalidArgument naming the known names.
Result<Activation> parse_activation(std::string_view name);

/// y = act(z) in double. relu2 is max(z,0)^2, leakyrelu has slope 0.01, gelu is the tanh form.
double activate(Activation activation, double z);

/// dy/dz at z. relu'(0) = 0; leakyrelu'(0) = 0.01.
double activate_derivative(Activation activation, double z);

}  // namespace weft
