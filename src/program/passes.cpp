// Passes over a program's list of instructions.
#include "src/program/passes.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <set>

namespace weft {
namespace {

bool gradient_of(const Instruction& first, const Instruction& second) {
  const bool pair = first.op == Opcode::kWeightGrad || first.op == Opcode::kBiasGrad;
  return pair && !first.accumulate && second.op == Opcode::kApply && first.out[0] == second.in[0] &&
         !second.in[1].present() && first.when == second.when;
}

/// Calls `visit(buffer, writes)` for everything an instruction touches, predicates included.
template <typename Visit>
void for_each_access(const Instruction& instruction, Visit visit) {
  for (const Operand& in : instruction.in)
    if (in.present()) visit(in.buffer, false);
  for (const Predicate& predicate : instruction.when)
    if (predicate.present()) visit(predicate.counter, false);
  for (const Operand& out : instruction.out)
    if (out.present()) visit(out.buffer, true);
}

}  // namespace

void fuse_updates(Program& program) {
  const Optimizer& optimizer = program.optimizer;
  if (optimizer.kind != OptimizerKind::kSgd || optimizer.weight_decay > 0.0 || optimizer.clip > 0.0) return;
  std::vector<Instruction> fused;
  for (const Instruction& instruction : program.code) {
    // A leaf emits all its gradients and then its applies, so the partner is at most two places back.
    const auto end = fused.rbegin() + std::min<std::ptrdiff_t>(2, std::ssize(fused));
    const auto gradient =
        std::find_if(fused.rbegin(), end, [&](const Instruction& before) { return gradient_of(before, instruction); });
    if (gradient == end) {
      fused.push_back(instruction);
      continue;
    }
    gradient->op = gradient->op == Opcode::kWeightGrad ? Opcode::kUpdate : Opcode::kBiasUpdate;
    gradient->scale = instruction.scale;
    gradient->out = {instruction.out[0]};
  }
  program.code = std::move(fused);
}

void remove_unread(Program& program, const BufferTable& buffers) {
  std::set<BufferId> live{program.output.buffer, program.loss_value, program.loss_finite};
  std::vector<Instruction> kept;
  for (auto it = program.code.rbegin(); it != program.code.rend(); ++it) {
    const auto needed = [&](const Operand& out) {
      return out.present() && (buffers[out.buffer].role != Role::kScratch || live.contains(out.buffer));
    };
    if (std::none_of(it->out.begin(), it->out.end(), needed)) continue;
    const bool always = std::none_of(it->when.begin(), it->when.end(), [](const Predicate& p) { return p.present(); });
    if (always && !reads_outputs(*it)) {
      for (const Operand& out : it->out) live.erase(out.buffer);
    }
    for_each_access(*it, [&](BufferId buffer, bool writes) {
      if (!writes) live.insert(buffer);
    });
    kept.push_back(*it);
  }
  std::reverse(kept.begin(), kept.end());
  program.code = std::move(kept);
}

void give_back_unused(const Program& program, const BufferTable& before, BufferTable& buffers) {
  std::set<BufferId> used{program.output.buffer};
  for (const Instruction& instruction : program.code)
    for_each_access(instruction, [&](BufferId buffer, bool) { used.insert(buffer); });
  for (BufferId id = 0; id < buffers.size(); ++id)
    if (buffers[id].role == Role::kScratch && !used.contains(id)) buffers.give_back(id, before);
}

void assign_levels(Program& program) {
  struct Last {
    std::int32_t read = -1, written = -1;
  };
  std::map<BufferId, Last> last;
  program.levels.clear();
  for (const Instruction& instruction : program.code) {
    std::int32_t level = 0;
    for_each_access(instruction, [&](BufferId buffer, bool writes) {
      const Last& before = last[buffer];
      level = std::max(level, before.written + 1);
      if (writes) level = std::max(level, before.read + 1);
    });
    for_each_access(instruction, [&](BufferId buffer, bool writes) {
      Last& now = last[buffer];
      (writes ? now.written : now.read) = std::max(writes ? now.written : now.read, level);
    });
    program.levels.push_back(level);
  }
}

void run_passes(Program& program, const BufferTable& before, BufferTable& buffers) {
  fuse_updates(program);
  remove_unread(program, buffers);
  give_back_unused(program, before, buffers);
  assign_levels(program);
  static std::atomic<std::uint64_t> programs{0};
  program.id = ++programs;
}

}  // namespace weft
