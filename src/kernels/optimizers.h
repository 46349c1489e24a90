// Optimizers: one step of a parameter by its gradient.
#pragma once

#include "src/kernels/elementary.h"
#include "src/kernels/step.h"
#include "src/kernels/team.h"

namespace weft {
namespace kernels {

/// p by dp at `rate`, with weight decay beside the step (Loshchilov and Hutter 2019). v, v2: moments, step: the leaf's
/// counter, already counted; only touched where the rule has them.
WEFT_DEVICE void apply(WEFT_ARG(Team) team, Index elements, WEFT_UNIFORM(OptimizerNumbers) o, float rate,
                       WEFT_GLOBAL(const float) dp, WEFT_GLOBAL(const uint32_t) step, WEFT_GLOBAL(float) p,
                       WEFT_GLOBAL(float) v, WEFT_GLOBAL(float) v2) {
  const float keep = 1.0f - rate * o.decay;
  switch (o.rule) {
    case Rule::kSgd:
      for (Index i = team.first(); i < elements; i += team.stride()) p[i] = keep * p[i] - rate * dp[i];
      return;
    case Rule::kMomentum:
      for (Index i = team.first(); i < elements; i += team.stride()) {
        v[i] = o.momentum * v[i] + dp[i];
        p[i] = keep * p[i] - rate * v[i];
      }
      return;
    case Rule::kNesterov:
      for (Index i = team.first(); i < elements; i += team.stride()) {
        v[i] = o.momentum * v[i] + dp[i];
        p[i] = keep * p[i] - rate * (dp[i] + o.momentum * v[i]);
      }
      return;
    case Rule::kAdamW: {
      // 1 - beta^step through logarithms: as a difference it has few digits at first.
      const float count = static_cast<float>(*step);
      const float correct1 = one_minus_exp(count * o.log_beta1), correct2 = one_minus_exp(count * o.log_beta2);
      for (Index i = team.first(); i < elements; i += team.stride()) {
        v[i] = o.beta1 * v[i] + o.rest1 * dp[i];
        v2[i] = o.beta2 * v2[i] + o.rest2 * dp[i] * dp[i];
        p[i] = keep * p[i] - rate * (v[i] / correct1) / (sqrt(v2[i] / correct2) + o.epsilon);
      }
      return;
    }
  }
}

/// p += rate dp
WEFT_DEVICE void ascend(WEFT_ARG(Team) team, Index elements, float rate, WEFT_GLOBAL(const float) dp,
                        WEFT_GLOBAL(float) p) {
  for (Index i = team.first(); i < elements; i += team.stride()) p[i] += rate * dp[i];
}

}  // namespace kernels
}  // namespace weft
