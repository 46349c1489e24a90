// Operands found once, and again where they move.
#include "src/backend/native_cpu/prepared.h"

#include <algorithm>

#include "src/backend/native_cpu/step_kernels.h"
#include "src/core/try.h"

namespace weft::native_cpu {
namespace {

Step step_of(const Instruction& instruction, const Program& program, const HostMemory& memory) {
  Step step;
  step.instruction = instruction;
  step.kernel = kernel_for(instruction, program);
  const auto look_at = [&](const Operand& operand) {
    if (!operand.present() || !memory.moves(operand.buffer)) return;
    const bool argument = operand.buffer == BufferTable::kInput || operand.buffer == BufferTable::kTarget;
    (argument ? step.of_call : step.of_ring) = true;
  };
  std::for_each(instruction.in.begin(), instruction.in.end(), look_at);
  std::for_each(instruction.out.begin(), instruction.out.end(), look_at);
  const auto guards = std::count_if(instruction.when.begin(), instruction.when.end(),
                                    [](const Predicate& predicate) { return predicate.present(); });
  step.guarded = guards > 0;
  const Predicate& first = instruction.when.front();
  step.by_flag = guards == 1 && first.present() && first.test == Predicate::Test::kNonZero;
  return step;
}

bool uses(const Program& program, BufferId argument) {
  return std::any_of(program.code.begin(), program.code.end(), [&](const Instruction& instruction) {
    return std::any_of(instruction.in.begin(), instruction.in.end(),
                       [&](const Operand& operand) { return operand.buffer == argument; });
  });
}

}  // namespace

void Step::find_operands(const HostMemory& memory, const RunArguments& arguments) {
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = memory.resolve(instruction.in[i], arguments);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = memory.resolve(instruction.out[i], arguments);
  for (std::size_t i = 0; i < when.size(); ++i) {
    const Predicate& predicate = instruction.when[i];
    when[i] = static_cast<const std::uint64_t*>(memory.resolve({predicate.counter}, arguments));
  }
}

bool Step::all_hold() const {
  for (std::size_t i = 0; i < when.size(); ++i) {
    if (when[i] != nullptr && !instruction.when[i].holds(*when[i])) return false;
  }
  return true;
}

Prepared* PreparedPrograms::find(std::uint64_t id) {
  if (id == 0) return nullptr;
  if (last_ != nullptr && last_id_ == id) return last_;
  const auto entry = programs_.find(id);
  return entry == programs_.end() ? nullptr : &entry->second;
}

Result<Prepared*> PreparedPrograms::get(const Program& program, const HostMemory& memory, const RunArguments& arguments,
                                        int threads) {
  Prepared* found = find(program.id);
  if (found == nullptr || !found->has_arguments(arguments)) {
    WEFT_RETURN_IF_ERROR(memory.check(program, arguments));
    if (programs_.size() >= kMost) forget();
    Prepared prepared;
    prepared.input = uses(program, BufferTable::kInput), prepared.target = uses(program, BufferTable::kTarget);
    prepared.input_at = arguments.input, prepared.target_at = arguments.target;
    for (const Instruction& instruction : program.code) {
      prepared.steps.push_back(step_of(instruction, program, memory));
      prepared.steps.back().find_operands(memory, arguments);
    }
    arrange(prepared, program, threads);
    std::int64_t scratch = 0;
    for (const Instruction& instruction : program.code) scratch = std::max(scratch, needs_scratch(instruction));
    prepared.scratch.resize(static_cast<std::size_t>(scratch));
    for (Step& step : prepared.steps) step.scratch = prepared.scratch.data();
    found = &programs_.insert_or_assign(program.id, std::move(prepared)).first->second;
  }
  last_id_ = program.id;
  last_ = found;
  return found;
}

}  // namespace weft::native_cpu
