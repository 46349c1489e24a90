// Optimizers: one step of a parameter by its gradient.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/backend/native_cpu/product.h"
#include "weft/optimizer.hpp"

namespace weft::native_cpu {

/// p by dp at `rate`, with weight decay beside the step. v, v2: moments, step: the leaf's counter, already counted;
/// null where not used.
inline void apply_run(std::int64_t elements, const Optimizer& optimizer, double rate, const float* dp,
                      const std::uint64_t* step, float* p, float* v, float* v2) {
  const float lr = static_cast<float>(rate), m = static_cast<float>(optimizer.momentum);
  const float keep = static_cast<float>(1.0 - rate * optimizer.weight_decay);
  switch (optimizer.kind) {
    case OptimizerKind::kSgd:
      for (std::int64_t i = 0; i < elements; ++i) p[i] = keep * p[i] - lr * dp[i];
      return;
    case OptimizerKind::kMomentum:
      for (std::int64_t i = 0; i < elements; ++i) {
        v[i] = m * v[i] + dp[i];
        p[i] = keep * p[i] - lr * v[i];
      }
      return;
    case OptimizerKind::kNesterov:
      for (std::int64_t i = 0; i < elements; ++i) {
        v[i] = m * v[i] + dp[i];
        p[i] = keep * p[i] - lr * (dp[i] + m * v[i]);
      }
      return;
    case OptimizerKind::kAdamW: {
      // The factors are made in double: 1 - beta^step loses half its digits in float at the first steps.
      const double count = static_cast<double>(*step);
      const float correct1 = static_cast<float>(1.0 - std::pow(optimizer.beta1, count));
      const float correct2 = static_cast<float>(1.0 - std::pow(optimizer.beta2, count));
      const float beta1 = static_cast<float>(optimizer.beta1), rest1 = static_cast<float>(1.0 - optimizer.beta1);
      const float beta2 = static_cast<float>(optimizer.beta2), rest2 = static_cast<float>(1.0 - optimizer.beta2);
      const float epsilon = static_cast<float>(optimizer.epsilon);
      for (std::int64_t i = 0; i < elements; ++i) {
        v[i] = beta1 * v[i] + rest1 * dp[i];
        v2[i] = beta2 * v2[i] + rest2 * dp[i] * dp[i];
        p[i] = keep * p[i] - lr * (v[i] / correct1) / (std::sqrt(v2[i] / correct2) + epsilon);
      }
      return;
    }
  }
}

/// As apply_run, by pieces.
inline void apply(Team& team, std::int64_t elements, const Optimizer& optimizer, double rate, const float* dp,
                  const std::uint64_t* step, float* p, float* v, float* v2) {
  const auto from = [](float* values, std::int64_t first) { return values == nullptr ? nullptr : values + first; };
  for_each_run(team, elements, [&](std::int64_t first, std::int64_t count) {
    apply_run(count, optimizer, rate, dp + first, step, p + first, from(v, first), from(v2, first));
  });
}

}  // namespace weft::native_cpu
