// Optimizers, fixed at mount because they own state.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

/// kSgd: W <- W - lr dW, exactly.
/// kMomentum: v <- m v + dW; W <- W - lr v. With nesterov: W <- W - lr (dW + m v).
/// kAdamW (Loshchilov and Hutter 2019): Adam with bias correction; the step counter counts the leaf's
/// own updates.
/// Weight decay is decoupled in all of them (the same source): W <- W - lr wd W beside the step.
/// Clipping comes first: a gradient of a larger norm is scaled to that norm. The norm is that of one
/// parameter (a weight matrix, a bias), because credit rules update each leaf by itself.
enum class OptimizerKind : std::uint8_t { kSgd, kMomentum, kNesterov, kAdamW };

struct Optimizer {
  OptimizerKind kind = OptimizerKind::kSgd;
  double momentum = 0.9;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0.0;
  double clip = 0.0;  // largest L2 norm of a parameter's gradient; 0: no limit
};

inline Optimizer sgd() { return {}; }
inline Optimizer momentum(double m = 0.9) { return {.kind = OptimizerKind::kMomentum, .momentum = m}; }
inline Optimizer nesterov(double m = 0.9) { return {.kind = OptimizerKind::kNesterov, .momentum = m}; }
inline Optimizer adamw(double weight_decay = 0.01) {
  return {.kind = OptimizerKind::kAdamW, .weight_decay = weight_decay};
}

std::string_view to_string(OptimizerKind kind);
Result<OptimizerKind> parse_optimizer(std::string_view name);

}  // namespace weft
