// Activations and their slopes at the pre-activation z. Comparisons are written so that NaN stays NaN.
#pragma once

#include "src/kernels/elementary.h"
#include "src/kernels/step.h"

namespace weft {
namespace kernels {

WEFT_CONSTANT float kLeak = 0.01f;
WEFT_CONSTANT float kGeluCubic = 0.044715f;
WEFT_CONSTANT float kGeluTwiceRoot = 1.5957691216057308f;  // 2 sqrt(2/pi)
WEFT_CONSTANT float kGeluFlat = 10.0f;                     // beyond, gelu is 0 or z to the last bit

/// (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))/2, as a logistic function.
WEFT_DEVICE Logistic gelu_gate(float z) { return logistic(kGeluTwiceRoot * (z + kGeluCubic * z * z * z)); }

WEFT_DEVICE float activate(Act activation, float z) {
  switch (activation) {
    case Act::kLinear: return z;
    case Act::kRelu: return z <= 0.0f ? 0.0f : z;
    case Act::kRelu2: return z <= 0.0f ? 0.0f : z * z;
    case Act::kLeakyRelu: return z <= 0.0f ? kLeak * z : z;
    case Act::kSilu: return z * logistic(z).value;
    case Act::kGelu: return z > kGeluFlat ? z : z < -kGeluFlat ? 0.0f : z * gelu_gate(z).value;
    case Act::kTanh: return tanh(z);
    case Act::kSigmoid: return logistic(z).value;
  }
  return z;
}

WEFT_DEVICE float slope(Act activation, float z) {
  switch (activation) {
    case Act::kLinear: return 1.0f;
    case Act::kRelu: return z > 0.0f ? 1.0f : 0.0f;
    case Act::kRelu2: return z > 0.0f ? 2.0f * z : 0.0f;
    case Act::kLeakyRelu: return z > 0.0f ? 1.0f : kLeak;
    case Act::kSilu: {
      const Logistic s = logistic(z);
      return s.value * (1.0f + z * s.rest);
    }
    case Act::kGelu: {
      if (z > kGeluFlat) return 1.0f;
      if (z < -kGeluFlat) return 0.0f;
      const Logistic s = gelu_gate(z);
      return s.value + z * s.value * s.rest * (kGeluTwiceRoot * (1.0f + 3.0f * kGeluCubic * z * z));
    }
    case Act::kTanh: {  // 1 - tanh^2
      const float e = exp(-2.0f * fabs(z)), whole = 1.0f + e;
      return 4.0f * quotient(e, whole * whole);
    }
    case Act::kSigmoid: {
      const Logistic s = logistic(z);
      return s.value * s.rest;
    }
  }
  return 1.0f;
}

}  // namespace kernels
}  // namespace weft
