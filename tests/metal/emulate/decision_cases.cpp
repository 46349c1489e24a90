// Cases of losses and of the numbers that decisions are made of.
#include "tests/metal/emulate/case_lists.h"

namespace weft::test {

void loss_gap(CaseWriter& writer) {
  for (const Loss loss : {Loss::kMse, Loss::kCrossEntropy}) {
    for (const bool gap : {false, true}) {
      for (const auto [m, n, k] : kMatrices) {
        KernelCase& made = writer.begin(m, n, k, fmt::format("{}{}", to_string(loss), gap ? " gap" : ""));
        made.loss = loss;
        made.instruction.in = {writer.numbers(m * n), writer.numbers(m * n, 0.0, 1.0)};
        made.instruction.out = {gap ? writer.numbers(m * n) : Operand{}, writer.real(9), writer.counter(9)};
        made.op_class = OpClass::kTranscendental;
        made.magnitude = 4.0 * (loss == Loss::kCrossEntropy ? static_cast<double>(n) : 1.0);
      }
    }
    if (loss == Loss::kCrossEntropy) {
      // Certain and right: as small as what is left for the other class. Certain and wrong: a probability has a least.
      for (const double right : {1.0, 0.0}) {
        KernelCase& made = writer.begin(1, 2, 1, right > 0.5 ? "ce certain and right" : "ce certain and wrong");
        made.loss = loss;
        made.instruction.in = {writer.holding({right > 0.5 ? 20.0 : 40.0, 0.0}), writer.holding({right, 1.0 - right})};
        made.instruction.out = {writer.numbers(2), writer.real(9), writer.counter(9)};
        made.op_class = OpClass::kTranscendental;
        made.magnitude = right > 0.5 ? 1e-8 : 32.0;
      }
    }
    for (const double bad : {kNan, kInfinity}) {
      KernelCase& made = writer.begin(3, 2, 1, fmt::format("{} of {}", to_string(loss), bad));
      made.loss = loss;
      made.instruction.in = {writer.holding({1.0, 0.5, -1.0, 2.0, 0.25, bad}), writer.numbers(6, 0.0, 1.0)};
      made.instruction.out = {Operand{}, writer.real(9), writer.counter(9)};
    }
  }
}

void numbers_of_all(Opcode op, CaseWriter& writer) {
  for (const auto [m, n, k] : kMatrices) {
    for (const double limit : {0.5, 100.0}) {  // clip: above and below
      if (op != Opcode::kClip && limit > 1.0) continue;
      KernelCase& made = writer.begin(m, n, k, op == Opcode::kClip ? fmt::format("limit {}", limit) : "");
      made.instruction.scale = limit;
      made.instruction.in = {writer.numbers(m * n, 0.5, 2.0)};
      made.instruction.out = {writer.real(9)};
    }
  }
}

void is_finite(CaseWriter& writer) {
  for (const double last : {1.0, kNan, kInfinity, -kInfinity}) {
    for (const std::int64_t n : {1, 33, 65}) {
      std::vector<double> values(static_cast<std::size_t>(n), 3e38);  // their sum is no float
      values.back() = last;
      Instruction& i = writer.begin(1, n, 1, fmt::format("last {}", last)).instruction;
      i.in = {writer.holding(values)}, i.out = {writer.counter(9)};
    }
  }
}

void single_numbers(Opcode op, CaseWriter& writer) {
  for (std::uint32_t turn = 0; turn < 8; ++turn) {
    Instruction& i = writer.begin(1, 1, 1, fmt::format("turn {}", turn)).instruction;
    i.value = 3, i.period = 4;
    switch (op) {
      case Opcode::kRatio:
        i.in = {writer.real(writer.number()), writer.real(turn == 0 ? 0.0 : writer.number(0.5, 2.0))};
        i.out = {writer.real(9)};
        break;
      case Opcode::kEquals: i.in = {writer.counter(turn)}, i.out = {writer.counter(9)}; break;
      case Opcode::kRefresh: {
        // Each reason alone, none, and all: calls mod 4, the tag 3, what was kept.
        constexpr struct {
          std::uint32_t calls, tag;
          double kept;
        } kReasons[] = {{9, 3, 1.0},   {8, 3, 1.0},  {9, 2, 1.0}, {9, 3, 0.0},
                        {9, 3, 1e-13}, {9, 3, kNan}, {8, 2, 0.0}, {9, 3, kInfinity}};
        const auto& [calls, tag, kept] = kReasons[turn];
        i.in = {writer.counter(calls), writer.counter(tag), writer.real(kept)};
        i.out = {writer.counter(9)};
        break;
      }
      default: i.out = {writer.counter(turn == 7 ? 0xfffffffeu : turn)};
    }
  }
}

void link_budget(CaseWriter& writer) {
  for (const auto [m, n, k] : kMatrices) {
    for (const int variant : {0, 1, 2, 3}) {  // like, opposite, no x, no w
      const std::int64_t mn = m * n;
      Instruction& i = writer.begin(m, n, k, fmt::format("variant {}", variant)).instruction;
      const Operand x = variant == 2 ? writer.numbers(mn, 0.0, 0.0) : writer.numbers(mn, 0.5, 2.0);
      i.in = {x, variant == 3   ? writer.numbers(mn, 0.0, 0.0)
                 : variant == 1 ? writer.numbers(mn, -2.0, -0.5)
                                : writer.numbers(mn, 0.5, 2.0)};
      i.out = {writer.real(9), writer.counter(9)};
    }
  }
}

}  // namespace weft::test
