// Step: one instruction as a device sees it, numbers apart from memory. src/kernels/encode.h makes it.
#pragma once

#include "src/kernels/dialect.h"

namespace weft {
namespace kernels {

enum class Op : uint32_t {
#define WEFT_INSTRUCTION(identifier, ...) k##identifier,
#include "src/program/instructions.def"
#undef WEFT_INSTRUCTION
};

// As in weft/activation.hpp, weft/loss.hpp, weft/optimizer.hpp, which not every dialect can read; encode.h compares.
enum class Act : uint32_t { kLinear, kRelu, kRelu2, kLeakyRelu, kSilu, kGelu, kTanh, kSigmoid };
enum class LossKind : uint32_t { kMse, kCrossEntropy };
enum class Rule : uint32_t { kSgd, kMomentum, kNesterov, kAdamW };

/// A condition on a counter; kAlways where the instruction has none.
struct Condition {
  enum class Test : uint32_t { kAlways, kNonZero, kZero, kModulo } test;
  uint32_t modulus, remainder;
};

/// An optimizer's constants, made in double: 1 - beta has lost half its digits if taken in float.
struct OptimizerNumbers {
  Rule rule;
  float momentum;
  float beta1, rest1, log_beta1;  // rest = 1 - beta
  float beta2, rest2, log_beta2;
  float epsilon;
  float decay;  // of the weights
};

struct Step {
  Op op;
  Act activation;
  LossKind loss;
  uint32_t accumulate;
  uint32_t has_optional;  // the bias of forward, the factor of scale, the gap of loss_gap is there
  Index m, n, k, in_at, out_at, width;
  float scale;
  uint32_t value, period;
  OptimizerNumbers optimizer;
  Condition when[3];
};

/// Where a step's operands lie, in the order of instructions.def; null where absent. Counters are uint32_t.
struct Operands {
  WEFT_GLOBAL(const float) in[3];
  WEFT_GLOBAL(float) out[3];
  WEFT_GLOBAL(const uint32_t) when[3];
};

}  // namespace kernels
}  // namespace weft
