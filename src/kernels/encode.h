// Encoding: an instruction of a program as the Step that kernels take. Host side; numbers are rounded to float here,
// once.
#pragma once

#include <cmath>

#include "src/kernels/step.h"
#include "src/program/program.h"

namespace weft::kernels {

#define WEFT_SAME(left, right) static_assert(static_cast<int>(left) == static_cast<int>(right))
WEFT_SAME(Act::kLinear, Activation::kLinear);
WEFT_SAME(Act::kRelu, Activation::kRelu);
WEFT_SAME(Act::kRelu2, Activation::kRelu2);
WEFT_SAME(Act::kLeakyRelu, Activation::kLeakyRelu);
WEFT_SAME(Act::kSilu, Activation::kSilu);
WEFT_SAME(Act::kGelu, Activation::kGelu);
WEFT_SAME(Act::kTanh, Activation::kTanh);
WEFT_SAME(Act::kSigmoid, Activation::kSigmoid);
static_assert(kActivationCount == 8);
WEFT_SAME(LossKind::kMse, Loss::kMse);
WEFT_SAME(LossKind::kCrossEntropy, Loss::kCrossEntropy);
WEFT_SAME(Rule::kSgd, OptimizerKind::kSgd);
WEFT_SAME(Rule::kMomentum, OptimizerKind::kMomentum);
WEFT_SAME(Rule::kNesterov, OptimizerKind::kNesterov);
WEFT_SAME(Rule::kAdamW, OptimizerKind::kAdamW);
#undef WEFT_SAME

inline OptimizerNumbers encode(const Optimizer& optimizer) {
  const auto number = [](double value) { return static_cast<float>(value); };
  return {.rule = static_cast<Rule>(optimizer.kind),
          .momentum = number(optimizer.momentum),
          .beta1 = number(optimizer.beta1),
          .rest1 = number(1.0 - optimizer.beta1),
          .log_beta1 = number(std::log(optimizer.beta1)),
          .beta2 = number(optimizer.beta2),
          .rest2 = number(1.0 - optimizer.beta2),
          .log_beta2 = number(std::log(optimizer.beta2)),
          .epsilon = number(optimizer.epsilon),
          .decay = number(optimizer.weight_decay)};
}

inline Condition encode(const Predicate& predicate) {
  if (!predicate.present()) return {Condition::Test::kAlways, 1, 0};
  switch (predicate.test) {
    case Predicate::Test::kNonZero: return {Condition::Test::kNonZero, 1, 0};
    case Predicate::Test::kZero: return {Condition::Test::kZero, 1, 0};
    case Predicate::Test::kModulo: return {Condition::Test::kModulo, predicate.modulus, predicate.remainder};
  }
  return {Condition::Test::kAlways, 1, 0};
}

/// Whether the operand that an instruction may do without is there.
inline bool has_optional(const Instruction& i) {
  switch (i.op) {
    case Opcode::kForward: return i.in[2].present();
    case Opcode::kScale: return i.in[1].present();
    case Opcode::kLossGap: return i.out[0].present();
    default: return false;
  }
}

/// The step of an instruction of `program`.
inline Step encode(const Instruction& i, const Program& program) {
  return {.op = static_cast<Op>(i.op),
          .activation = static_cast<Act>(i.activation),
          .loss = static_cast<LossKind>(program.loss),
          .accumulate = i.accumulate ? 1u : 0u,
          .has_optional = has_optional(i) ? 1u : 0u,
          .m = i.m,
          .n = i.n,
          .k = i.k,
          .in_at = i.in_at,
          .out_at = i.out_at,
          .width = i.width,
          .scale = static_cast<float>(i.scale),
          .value = i.value,
          .period = i.period,
          .optimizer = encode(program.optimizer),
          .when = {encode(i.when[0]), encode(i.when[1]), encode(i.when[2])}};
}

}  // namespace weft::kernels
