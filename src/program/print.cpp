// Printing: one line per instruction.
#include "src/program/print.h"

#include <fmt/format.h>
#include <algorithm>

namespace weft {
namespace {

std::string operand_text(const Operand& operand, const BufferTable& buffers) {
  const Buffer& buffer = buffers[operand.buffer];
  if (buffer.slots == 1) return buffer.name;
  return operand.lag == 0 ? buffer.name + "@now" : fmt::format("{}@-{}", buffer.name, operand.lag);
}

/// "x=input W=leaf.1.weight" from "x W [b]" and the operands that are there.
std::string operands_text(std::string_view names, const std::array<Operand, 3>& operands, const BufferTable& buffers) {
  std::string text;
  for (std::size_t i = 0; !names.empty(); ++i) {
    const std::size_t space = std::min(names.find(' '), names.size());
    std::string_view name = names.substr(0, space);
    names.remove_prefix(std::min(space + 1, names.size()));
    if (name.front() == '[') name = name.substr(1, name.size() - 2);
    if (!operands[i].present()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, operand_text(operands[i], buffers));
  }
  return text;
}

std::string condition_text(const Predicate& predicate, const BufferTable& buffers) {
  const std::string& name = buffers[predicate.counter].name;
  switch (predicate.test) {
    case Predicate::Test::kNonZero: return name;
    case Predicate::Test::kZero: return "not " + name;
    case Predicate::Test::kModulo: return fmt::format("{} mod {} = {}", name, predicate.modulus, predicate.remainder);
  }
  return name;
}

/// "if loss_finite and not refresh", empty where the instruction always runs.
std::string conditions_text(const Instruction& instruction, const BufferTable& buffers) {
  std::string text;
  for (const Predicate& predicate : instruction.when) {
    if (predicate.present()) text += (text.empty() ? "if " : " and ") + condition_text(predicate, buffers);
  }
  return text;
}

/// A scale that scales nothing is a copy to the reader.
std::string_view name_of(const Instruction& instruction) {
  const bool copies = instruction.op == Opcode::kScale && instruction.scale == 1.0 && !instruction.accumulate &&
                      !instruction.in[1].present();
  return copies ? "copy" : to_string(instruction.op);
}

std::string size_text(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kForward:
    case Opcode::kGradInput:
    case Opcode::kWeightGrad:
    case Opcode::kUpdate:
    case Opcode::kTargetBelow: return fmt::format("{}x{}x{}", instruction.m, instruction.n, instruction.k);
    case Opcode::kProject: return fmt::format("{} to {}", instruction.k, instruction.n);
    case Opcode::kCount:
    case Opcode::kSet:
    case Opcode::kEquals:
    case Opcode::kRatio:
    case Opcode::kRefresh: return "";
    default: return fmt::format("{}x{}", instruction.m, instruction.n);
  }
}

std::string details_text(const Instruction& instruction) {
  std::string text = size_text(instruction);
  const bool activates = instruction.op == Opcode::kForward || instruction.op == Opcode::kDelta;
  if (activates) text += fmt::format(" {}", to_string(instruction.activation));
  if (instruction.scale != 1.0) text += fmt::format(" a={:.6g}", instruction.scale);
  if (instruction.accumulate) text += " +=";
  if (instruction.op == Opcode::kSet || instruction.op == Opcode::kEquals)
    text += fmt::format("value {}", instruction.value);
  if (instruction.op == Opcode::kRefresh)
    text += fmt::format("every {}, tag {}", instruction.period, instruction.value);
  return text;
}

}  // namespace

std::string to_text(const Program& program, const BufferTable& buffers) {
  const int levels = program.levels.empty() ? 0 : *std::max_element(program.levels.begin(), program.levels.end()) + 1;
  std::string text = fmt::format("{}\n{} instructions, {} levels\n", program.title, program.code.size(), levels);
  std::string condition;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const std::string now = conditions_text(instruction, buffers);
    if (now != condition) text += now.empty() ? "always\n" : now + "\n";
    condition = now;
    const std::string inputs = operands_text(input_names(instruction.op), instruction.in, buffers);
    const std::string outputs = operands_text(output_names(instruction.op), instruction.out, buffers);
    std::string line = fmt::format("{:5}  {:12} {}{}-> {}  {}", program.levels[i], name_of(instruction), inputs,
                                   inputs.empty() ? "" : " ", outputs, details_text(instruction));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace weft
