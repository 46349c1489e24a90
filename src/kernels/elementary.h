// Elementary functions that keep their digits in float where the plain formula would cancel them.
#pragma once

#include "src/kernels/dialect.h"

namespace weft {
namespace kernels {

/// ln(1 + x) for x >= 0. (The error of 1 + x cancels in the quotient: Kahan's correction. Metal has no log1p.)
WEFT_DEVICE float log_one_plus(float x) {
  const float u = 1.0f + x;
  return u == 1.0f ? x : log(u) * (x / (u - 1.0f));
}

/// 1 - exp(x) for x <= 0, by the same correction.
WEFT_DEVICE float one_minus_exp(float x) {
  const float u = exp(x);
  if (u == 1.0f) return -x;
  if (u == 0.0f) return 1.0f;
  return (1.0f - u) * (x / log(u));
}

/// a/b for b from 1 to 4, and a no larger than b: the usual steps of a division without those for other b.
WEFT_DEVICE float quotient(float a, float b) {
#if defined(__CUDA_ARCH__)
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  const float first = a * inverse;
  return fma(inverse, fma(-b, first, a), first);
#else
  return a / b;
#endif
}

/// 1/(1 + exp(-z)) and what it lacks to 1, neither of them a difference.
struct Logistic {
  float value, rest;
};

WEFT_DEVICE Logistic logistic(float z) {
  const float e = exp(-fabs(z)), small = quotient(e, 1.0f + e), large = quotient(1.0f, 1.0f + e);
  return z > 0.0f ? Logistic{large, small} : Logistic{small, large};
}

}  // namespace kernels
}  // namespace weft
