// Names of instructions and operands, from instructions.def.
#include "src/program/instruction.h"

namespace weft {
namespace {

struct Row {
  std::string_view name, inputs, outputs;
};

constexpr Row kRows[] = {
#define WEFT_INSTRUCTION(identifier, name, inputs, outputs) {name, inputs, outputs},
#include "src/program/instructions.def"
#undef WEFT_INSTRUCTION
};

const Row& row(Opcode op) { return kRows[static_cast<std::size_t>(op)]; }

}  // namespace

std::string_view to_string(Opcode op) { return row(op).name; }
std::string_view input_names(Opcode op) { return row(op).inputs; }
std::string_view output_names(Opcode op) { return row(op).outputs; }

bool reads_outputs(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kApply:
    case Opcode::kUpdate:
    case Opcode::kBiasUpdate:
    case Opcode::kAscend:
    case Opcode::kCount: return true;
    // These write a part of a row and leave the rest as it was.
    case Opcode::kCopyColumns:
    case Opcode::kRowDot: return true;
    default: return instruction.accumulate;
  }
}

}  // namespace weft
