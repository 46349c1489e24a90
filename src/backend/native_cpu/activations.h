// Activations and their slopes in float, one functor each, so that a loop over one has no switch inside.
#pragma once

#include <algorithm>
#include <cmath>

#include "weft/activation.hpp"

namespace weft::native_cpu {

/// The logistic function and what it lacks to 1, neither of them a difference, so that both keep their digits.
struct Logistic {
  explicit Logistic(float z) {
    const float e = std::exp(-std::abs(z)), small = e / (1.0f + e), large = 1.0f / (1.0f + e);
    value = z > 0.0f ? large : small;
    rest = z > 0.0f ? small : large;
  }
  float value, rest;
};

struct Linear {
  static float value(float z) { return z; }
  static float slope(float) { return 1.0f; }
};
struct Relu {
  static float value(float z) { return z <= 0.0f ? 0.0f : z; }  // keeps a NaN
  static float slope(float z) { return z > 0.0f ? 1.0f : 0.0f; }
};
struct Relu2 {
  static float value(float z) { return Relu::value(z) * Relu::value(z); }
  static float slope(float z) { return 2.0f * Relu::value(z); }
};
struct LeakyRelu {
  static float value(float z) { return z > 0.0f ? z : 0.01f * z; }
  static float slope(float z) { return z > 0.0f ? 1.0f : 0.01f; }
};
struct Silu {
  static float value(float z) { return z * Logistic(z).value; }
  static float slope(float z) {
    const Logistic s(z);
    return s.value * (1.0f + z * s.rest);
  }
};
struct Gelu {
  static constexpr float kRoot = 0.7978845608028654f;  // sqrt(2/pi)
  static constexpr float kCubic = 0.044715f;
  static float bend(float z) { return std::tanh(kRoot * (z + kCubic * z * z * z)); }
  static float value(float z) { return 0.5f * z * (1.0f + bend(z)); }
  static float slope(float z) {
    // Beyond 20 the slope is 0 or 1 to the last bit, and z*z would overflow later on.
    const float c = std::clamp(z, -20.0f, 20.0f), t = bend(c);
    return 0.5f * (1.0f + t) + 0.5f * c * (1.0f - t) * (1.0f + t) * kRoot * (1.0f + 3.0f * kCubic * c * c);
  }
};
struct Tanh {
  static float value(float z) { return std::tanh(z); }
  static float slope(float z) {
    const float t = std::tanh(z);
    return (1.0f - t) * (1.0f + t);
  }
};
struct Sigmoid {
  static float value(float z) { return Logistic(z).value; }
  static float slope(float z) {
    const Logistic s(z);
    return s.value * s.rest;
  }
};

/// Calls f with the functor of the activation.
template <typename F>
void with(Activation activation, F f) {
  switch (activation) {
    case Activation::kLinear: return f(Linear{});
    case Activation::kRelu: return f(Relu{});
    case Activation::kRelu2: return f(Relu2{});
    case Activation::kLeakyRelu: return f(LeakyRelu{});
    case Activation::kSilu: return f(Silu{});
    case Activation::kGelu: return f(Gelu{});
    case Activation::kTanh: return f(Tanh{});
    case Activation::kSigmoid: return f(Sigmoid{});
  }
}

}  // namespace weft::native_cpu
