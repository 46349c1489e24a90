// Cases of products and what goes with them.
#include "tests/metal/emulate/case_lists.h"

namespace weft::test {
namespace {

/// Of forward: a sum's error, times what the activation's slope makes of it: at most 1.2, but 2z of relu2.
void widen(KernelCase& made) {
  const double roots = std::sqrt(static_cast<double>(made.instruction.k));
  made.magnitude *= made.instruction.activation == Activation::kRelu2 ? 8.0 * roots : 1.2;
}

const char* plus(bool accumulate) { return accumulate ? "adds" : ""; }

}  // namespace

void forward(CaseWriter& writer) {
  std::uint64_t turn = 0;
  for (int activation = 0; activation < kActivationCount; ++activation) {
    for (int variant = 0; variant < 3; ++variant) {
      const auto [m, n, k] = kProducts[turn++ % std::size(kProducts)];
      const auto act = static_cast<Activation>(activation);
      const bool in_place = variant == 2 && act == Activation::kLinear, bias = variant != 0;  // z may be y
      Instruction& i =
          writer.begin(m, n, k, fmt::format("{}{}{}", to_string(act), bias ? " bias" : "", in_place ? " in place" : ""))
              .instruction;
      i.activation = act;
      i.in = {writer.numbers(m * k), writer.numbers(n * k), bias ? writer.numbers(n) : Operand{}};
      const Operand z = writer.numbers(m * n);
      i.out = {z, in_place ? z : writer.numbers(m * n)};
      writer.is_sum(k);
      widen(writer.last());
    }
  }
  for (int activation = 0; activation < kActivationCount; ++activation) {  // what is no number stays none
    const auto act = static_cast<Activation>(activation);
    Instruction& i = writer.begin(2, 2, 1, fmt::format("{} of nan", to_string(act))).instruction;
    i.activation = act;
    i.in = {writer.holding({kNan, 0.5}), writer.numbers(2)};
    i.out = {writer.numbers(4), writer.numbers(4)};
    writer.is_sum(1);
    widen(writer.last());
  }
}

void gradients(Opcode op, CaseWriter& writer) {
  for (const auto [m, n, k] : kProducts) {
    for (const bool accumulate : {false, true}) {
      const bool update = op == Opcode::kUpdate || op == Opcode::kBiasUpdate;
      if (update && accumulate) continue;
      Instruction& i = writer.begin(m, n, k, plus(accumulate)).instruction;
      i.accumulate = accumulate;
      switch (op) {
        case Opcode::kGradInput:
          i.in = {writer.numbers(m * n), writer.numbers(n * k)}, i.out = {writer.numbers(m * k)};
          writer.is_sum(n);
          break;
        case Opcode::kWeightGrad:
        case Opcode::kUpdate:
          i.in = {writer.numbers(m * n), writer.numbers(m * k)}, i.out = {writer.numbers(n * k)};
          writer.is_sum(m, update ? 0.125 : 1.0);
          break;
        default: i.in = {writer.numbers(m * n)}, i.out = {writer.numbers(n)}; writer.is_sum(m, update ? 0.125 : 1.0);
      }
    }
  }
}

void delta(CaseWriter& writer) {
  for (int activation = 0; activation < kActivationCount; ++activation) {
    for (const auto [m, n, k] :
         {kMatrices[static_cast<std::size_t>(activation) % std::size(kMatrices)], kMatrices[3]}) {
      const auto act = static_cast<Activation>(activation);
      KernelCase& made = writer.begin(m, n, k, std::string(to_string(act)));
      made.instruction.activation = act;
      made.op_class = OpClass::kTranscendental;
      const Operand g = writer.numbers(m * n);
      made.instruction.in = {g, writer.numbers(m * n, -12.0, 12.0)};
      made.instruction.out = {writer.numbers(m * n)};
      made.magnitude = act == Activation::kRelu2 ? 36.0 : 4.0;
    }
    KernelCase& made = writer.begin(1, 7, 1, fmt::format("{} far out", to_string(static_cast<Activation>(activation))));
    made.instruction.activation = static_cast<Activation>(activation);
    made.op_class = OpClass::kTranscendental;
    made.magnitude = 400.0;
    made.instruction.in = {writer.numbers(7), writer.holding({kNan, 0.0, 100.0, -100.0, 9.75, -9.75, -0.0})};
    made.instruction.out = {writer.numbers(7)};
  }
}

void target_below(CaseWriter& writer) {
  for (const auto [m, n, k] : {kProducts[0], kProducts[1], kProducts[4], kProducts[6], kProducts[8]}) {
    for (const double size : {2.0, 1e-5}) {  // weights too small to divide by
      KernelCase& made = writer.begin(m, n, k, fmt::format("weights to {}", size));
      const Operand tau = writer.numbers(m * n);
      made.instruction.in = {tau, writer.numbers(n * k, -size, size)};
      made.instruction.out = {writer.numbers(m * k)};
      writer.is_sum(n);
      made.magnitude = 4.0;  // a weighted mean of tau
    }
  }
}

}  // namespace weft::test
