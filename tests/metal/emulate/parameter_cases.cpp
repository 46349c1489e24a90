// Cases of what changes parameters.
#include "tests/metal/emulate/case_lists.h"

namespace weft::test {
namespace {

/// Moments that hardly forget: 1 - beta^step is nothing in float, were it a difference.
void apply_slowly(CaseWriter& writer) {
  KernelCase& made = writer.begin(1, 3, 1, "adamw with betas next to 1");
  made.optimizer = adamw(0.0);
  made.optimizer.beta1 = 1.0 - 2e-9, made.optimizer.beta2 = 1.0 - 1e-9;
  made.lr = 1e-5;
  made.instruction.in = {writer.numbers(3), writer.counter(2)};
  const Operand p = writer.numbers(3), v = writer.numbers(3);
  made.instruction.out = {p, v, writer.numbers(3, 0.1, 2.0)};
}

}  // namespace

void apply(CaseWriter& writer) {
  for (const OptimizerKind kind :
       {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kNesterov, OptimizerKind::kAdamW}) {
    for (const double decay : {0.0, 0.01}) {
      for (const auto [m, n, k] : {kMatrices[0], kMatrices[1], kMatrices[3], kMatrices[5]}) {
        const std::uint32_t step = m % 2 == 0 ? 50 : 1;
        KernelCase& made = writer.begin(m, n, k, fmt::format("{} decay {} step {}", to_string(kind), decay, step));
        made.optimizer.kind = kind;
        made.optimizer.weight_decay = decay;
        made.instruction.scale = 0.5;
        const bool adamw = kind == OptimizerKind::kAdamW, moment = kind != OptimizerKind::kSgd;
        made.instruction.in = {writer.numbers(m * n), adamw ? writer.counter(step) : Operand{}};
        const Operand p = writer.numbers(m * n), v = moment ? writer.numbers(m * n) : Operand{};
        // Moments that belong to no step: quotients up to 2/0.1/0.3.
        made.instruction.out = {p, v, adamw ? writer.numbers(m * n, 0.1, 2.0) : Operand{}};
      }
    }
  }
  apply_slowly(writer);
}

void ascend(CaseWriter& writer) {
  for (const auto [m, n, k] : kMatrices) {
    Instruction& i = writer.begin(m, n, k).instruction;
    i.in = {writer.numbers(m * n), writer.real(writer.number())}, i.out = {writer.numbers(m * n)};
  }
}

}  // namespace weft::test
