// Cases of what is done to signals.
#include "tests/metal/emulate/case_lists.h"

namespace weft::test {
namespace {

const char* plus(bool accumulate) { return accumulate ? "adds" : ""; }

}  // namespace

void signals(Opcode op, CaseWriter& writer) {
  for (const auto [m, n, k] : kMatrices) {
    for (const bool accumulate : {false, true}) {
      const std::int64_t mn = m * n;
      Instruction& i = writer.begin(m, n, k, plus(accumulate)).instruction;
      i.accumulate = accumulate;
      switch (op) {
        case Opcode::kScale:
          i.in = {writer.numbers(mn), m % 2 == 0 ? writer.real(writer.number()) : Operand{}};
          i.out = {writer.numbers(mn)};
          break;
        case Opcode::kScaleRows:
          i.width = 5, i.in_at = accumulate ? 4 : 0;
          i.in = {writer.numbers(mn), writer.numbers((m - 1) * 5 + i.in_at + 1)};
          i.out = {writer.numbers(mn)};
          break;
        default:  // copy_columns: of rows that are longer on both sides, and of whole rows
          i.in_at = accumulate ? 2 : 0, i.k = n + (accumulate ? 3 : 0);
          i.out_at = accumulate ? 1 : 0, i.width = n + (accumulate ? 2 : 0);
          i.in = {writer.numbers((m - 1) * i.k + i.in_at + n)};
          i.out = {writer.numbers((m - 1) * i.width + i.out_at + n)};
      }
    }
  }
}

void rows(Opcode op, CaseWriter& writer) {
  for (const auto [m, n, k] : kMatrices) {
    KernelCase& made = writer.begin(m, n, k);
    Instruction& i = made.instruction;
    const std::int64_t mn = m * n;
    i.in = {writer.numbers(mn)};
    if (op == Opcode::kSubtract || op == Opcode::kSoftmaxGrad || op == Opcode::kRowDot) i.in[1] = writer.numbers(mn);
    if (op == Opcode::kSoftmax) {
      made.op_class = OpClass::kTranscendental;
      made.magnitude = 1.0;
      i.out = {m % 2 == 0 ? i.in[0] : writer.numbers(mn)};  // y may be x
    } else if (op == Opcode::kRowDot) {
      i.width = 3, i.out_at = 2;
      i.out = {writer.numbers((m - 1) * 3 + 3)};
      writer.is_sum(n);
    } else {
      i.out = {writer.numbers(mn)};
      if (op == Opcode::kSoftmaxGrad) {
        writer.is_sum(n);
        made.magnitude *= 2.0;
      }
    }
    if (op == Opcode::kZero) i.in = {}, made.op_class = OpClass::kExact;
  }
}

void project(CaseWriter& writer) {
  for (const auto& [given, wanted] :
       {std::pair{1, 1}, {1, 33}, {33, 1}, {31, 32}, {65, 7}, {7, 65}, {13, 13}, {127, 31}}) {
    Instruction& i = writer.begin(1, wanted, given).instruction;
    i.in = {writer.numbers(given)}, i.out = {writer.numbers(wanted)};
  }
}

}  // namespace weft::test
