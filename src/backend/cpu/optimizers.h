// Optimizers: one step of a parameter by its gradient.
#pragma once

#include <cmath>
#include <cstdint>

#include "weft/optimizer.hpp"

namespace weft::cpu {

/// p by dp, with weight decay beside the step (Loshchilov and Hutter 2019); rate = lr times the rule's factor. v, v2:
/// moments, step: the leaf's counter, already counted; null where the optimizer has none.
template <typename T>
void apply(std::int64_t elements, const Optimizer& optimizer, double rate, const T* dp, const std::uint64_t* step, T* p,
           T* v, T* v2) {
  const double keep = 1.0 - rate * optimizer.weight_decay;
  const double m = optimizer.momentum, beta1 = optimizer.beta1, beta2 = optimizer.beta2;
  switch (optimizer.kind) {
    case OptimizerKind::kSgd:
      for (std::int64_t i = 0; i < elements; ++i) {
        p[i] = static_cast<T>(keep * static_cast<double>(p[i]) - rate * static_cast<double>(dp[i]));
      }
      return;
    case OptimizerKind::kMomentum:
      for (std::int64_t i = 0; i < elements; ++i) {
        v[i] = static_cast<T>(m * static_cast<double>(v[i]) + static_cast<double>(dp[i]));
        p[i] = static_cast<T>(keep * static_cast<double>(p[i]) - rate * static_cast<double>(v[i]));
      }
      return;
    case OptimizerKind::kNesterov:
      for (std::int64_t i = 0; i < elements; ++i) {
        const double g = static_cast<double>(dp[i]);
        v[i] = static_cast<T>(m * static_cast<double>(v[i]) + g);
        p[i] = static_cast<T>(keep * static_cast<double>(p[i]) - rate * (g + m * static_cast<double>(v[i])));
      }
      return;
    case OptimizerKind::kAdamW: {
      const double count = static_cast<double>(*step);
      const double correct1 = 1.0 - std::pow(beta1, count), correct2 = 1.0 - std::pow(beta2, count);
      for (std::int64_t i = 0; i < elements; ++i) {
        const double g = static_cast<double>(dp[i]);
        v[i] = static_cast<T>(beta1 * static_cast<double>(v[i]) + (1.0 - beta1) * g);
        v2[i] = static_cast<T>(beta2 * static_cast<double>(v2[i]) + (1.0 - beta2) * g * g);
        const double mean = static_cast<double>(v[i]) / correct1, square = static_cast<double>(v2[i]) / correct2;
        p[i] = static_cast<T>(keep * static_cast<double>(p[i]) - rate * mean / (std::sqrt(square) + optimizer.epsilon));
      }
      return;
    }
  }
}

}  // namespace weft::cpu
