// Counting the operations of matrix products.
#include "src/program/cost.h"

namespace weft {

double product_operations(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kForward:
    case Opcode::kGradInput:
    case Opcode::kWeightGrad:
    case Opcode::kUpdate:
    case Opcode::kTargetBelow:
      return 2.0 * static_cast<double>(instruction.m) * static_cast<double>(instruction.n) *
             static_cast<double>(instruction.k);
    default: return 0.0;
  }
}

double product_operations(const Program& program) {
  double operations = 0.0;
  for (const Instruction& instruction : program.code) operations += product_operations(instruction);
  return operations;
}

}  // namespace weft
