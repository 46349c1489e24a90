// run_step: the one place that hands an instruction's operands to its body.
#pragma once

#include "src/kernels/decisions.h"
#include "src/kernels/dense.h"
#include "src/kernels/losses.h"
#include "src/kernels/mesh_targets.h"
#include "src/kernels/optimizers.h"
#include "src/kernels/signals.h"
#include "src/kernels/softmax.h"
#include "src/kernels/step.h"

namespace weft {
namespace kernels {

WEFT_DEVICE WEFT_GLOBAL(const uint32_t) counter(WEFT_GLOBAL(const float) at) {
  return reinterpret_cast<WEFT_GLOBAL(const uint32_t)>(at);
}
WEFT_DEVICE WEFT_GLOBAL(uint32_t) counter(WEFT_GLOBAL(float) at) { return reinterpret_cast<WEFT_GLOBAL(uint32_t)>(at); }

/// Whether all conditions of the step hold.
WEFT_DEVICE bool is_due(WEFT_UNIFORM(Step) s, WEFT_ARG(Operands) at) {
  return holds(s.when[0], at.when[0]) && holds(s.when[1], at.when[1]) && holds(s.when[2], at.when[2]);
}

/// Runs a step of kind `op` (s.op, known when compiling where a device launches one kernel per instruction) by a team
/// whose threads all call it. Single numbers are the work of one thread of the whole team.
WEFT_DEVICE void run_step(Op op, WEFT_ARG(Team) team, WEFT_UNIFORM(Step) s, float lr, WEFT_ARG(Operands) at) {
  const Sizes shape{s.m, s.n, s.k};
  const float rate = lr * s.scale;
  const Index elements = s.m * s.n;
  const bool accumulate = s.accumulate != 0, optional = s.has_optional != 0, alone = team.first() == 0;
  switch (op) {
    case Op::kForward:
      return forward(team, shape, at.in[0], at.in[1], optional, at.in[2], s.activation, at.out[0], at.out[1]);
    case Op::kDelta: return delta(team, elements, s.scale, at.in[0], s.activation, at.in[1], at.out[0]);
    case Op::kGradInput: return grad_input(team, shape, at.in[0], at.in[1], accumulate, at.out[0]);
    case Op::kWeightGrad: return weight_grad(team, shape, at.in[0], at.in[1], accumulate, at.out[0]);
    case Op::kBiasGrad: return bias_grad(team, s.m, s.n, at.in[0], accumulate, at.out[0]);
    case Op::kApply:
      return apply(team, elements, s.optimizer, rate, at.in[0], counter(at.in[1]), at.out[0], at.out[1], at.out[2]);
    case Op::kUpdate: return update(team, shape, rate, at.in[0], at.in[1], at.out[0]);
    case Op::kBiasUpdate: return bias_update(team, s.m, s.n, rate, at.in[0], at.out[0]);

    case Op::kScale:
      return scale(team, elements, optional ? s.scale * *at.in[1] : s.scale, at.in[0], accumulate, at.out[0]);
    case Op::kSubtract: return subtract(team, elements, at.in[0], at.in[1], at.out[0]);
    case Op::kZero: return zero(team, elements, at.out[0]);
    case Op::kProject: return project(team, s.k, s.n, s.scale, at.in[0], at.out[0]);
    case Op::kCopyColumns:
      return copy_columns(team, s.m, s.n, s.scale, Columns{s.k, s.in_at}, at.in[0], accumulate,
                          Columns{s.width, s.out_at}, at.out[0]);
    case Op::kSoftmax: return softmax(team, s.m, s.n, at.in[0], at.out[0]);
    case Op::kSoftmaxGrad: return softmax_grad(team, s.m, s.n, at.in[0], at.in[1], at.out[0]);
    case Op::kScaleRows:
      return scale_rows(team, s.m, s.n, s.scale, at.in[0], Columns{s.width, s.in_at}, at.in[1], accumulate, at.out[0]);
    case Op::kRowDot: return row_dot(team, s.m, s.n, at.in[0], at.in[1], Columns{s.width, s.out_at}, at.out[0]);

    case Op::kLossGap:
      return loss_gap(team, s.loss, s.m, s.n, at.in[0], at.in[1], optional, at.out[0], at.out[1], counter(at.out[2]));
    case Op::kRms: return rms(team, elements, at.in[0], at.out[0]);
    case Op::kClip: return clip(team, elements, s.scale, at.in[0], at.out[0]);
    case Op::kIsFinite: return is_finite(team, elements, at.in[0], counter(at.out[0]));
    case Op::kRatio:
      if (alone) *at.out[0] = s.scale * *at.in[0] / *at.in[1];
      return;
    case Op::kCount:
      if (alone) *counter(at.out[0]) += 1;
      return;
    case Op::kSet:
      if (alone) *counter(at.out[0]) = s.value;
      return;
    case Op::kEquals:
      if (alone) *counter(at.out[0]) = *counter(at.in[0]) == s.value ? 1 : 0;
      return;
    case Op::kRefresh:
      if (alone) refresh(*counter(at.in[0]), s.period, *counter(at.in[1]), s.value, *at.in[2], counter(at.out[0]));
      return;

    case Op::kTargetBelow: return target_below(team, shape, at.in[0], at.in[1], at.out[0]);
    case Op::kLinkBudget:
      return link_budget(team, elements, s.scale, at.in[0], at.in[1], at.out[0], counter(at.out[1]));
    case Op::kAscend: return ascend(team, elements, rate * *at.in[1], at.in[0], at.out[0]);
  }
}

}  // namespace kernels
}  // namespace weft
