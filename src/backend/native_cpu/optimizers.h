// Optimizers: one step of a parameter by its gradient.
#pragma once

#include <cstdint>

#include "src/backend/native_cpu/product.h"
#include "weft/optimizer.hpp"

namespace weft::native_cpu {

/// A step's factors, made once for all elements.
struct StepFactors {
  /// step: the leaf's counter, already counted; may be null where the optimizer has none.
  StepFactors(const Optimizer& optimizer, double rate, const std::uint64_t* step);

  OptimizerKind kind;
  float rate, keep, momentum;
  // AdamW: v takes beta1 v + rest1 dp. One division for each element is enough: mean_rate is the rate over what
  // corrects v, spread 1 over what corrects v2.
  float beta1 = 0.0f, rest1 = 0.0f, beta2 = 0.0f, rest2 = 0.0f, mean_rate = 0.0f, spread = 0.0f, epsilon = 0.0f;
};

/// p by dp, with weight decay beside the step. v, v2: moments, null where not used.
void apply_run(std::int64_t elements, const StepFactors& factors, const float* dp, float* p, float* v, float* v2);

/// As apply_run, by pieces.
inline void apply(Team& team, std::int64_t elements, const StepFactors& factors, const float* dp, float* p, float* v,
                  float* v2) {
  const auto from = [](float* values, std::int64_t first) { return values == nullptr ? nullptr : values + first; };
  for_each_run(team, elements, [&](std::int64_t first, std::int64_t count) {
    apply_run(count, factors, dp + first, p + first, from(v, first), from(v2, first));
  });
}

}  // namespace weft::native_cpu
