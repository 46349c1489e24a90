// Interpreter: a program as data, run by one block over buffers in its own memory, for many calls. The bodies are those
// of run_step.h; there is nothing to be compiled when weft runs.
#pragma once

#include "src/kernels/member.h"
#include "src/kernels/run_step.h"

namespace weft {
namespace kernels {

/// Where an operand lies, in floats from the start of the block's memory: slot (clock - lag) mod slots of a ring.
/// at < 0: it is absent.
struct Located {
  std::int32_t at, slot, slots, lag;
};

struct PlacedStep {
  Step step;
  Located in[3], out[3], when[3];
  uint32_t meets;  // whether all threads wait for each other before it
};

/// A kept buffer in the block's memory: `elements` of each slot.
struct PlacedBuffer {
  std::int32_t at, elements, slots;
  uint32_t written;
};

/// The program's sizes; its steps and kept buffers follow in memory, in this order.
struct PlacedProgram {
  std::int32_t steps, buffers;
  std::int32_t input_at, input_elements;  // of a call; none where the program does not read it
  std::int32_t target_at, target_elements;
  std::int32_t loss_at, finite_at;  // -1 without a loss
  std::int32_t scratch_at, floats;

  WEFT_METHOD WEFT_GLOBAL(const PlacedStep) code() const {
    return reinterpret_cast<WEFT_GLOBAL(const PlacedStep)>(this + 1);
  }
  WEFT_METHOD WEFT_GLOBAL(const PlacedBuffer) kept() const {
    return reinterpret_cast<WEFT_GLOBAL(const PlacedBuffer)>(code() + steps);
  }
};

WEFT_DEVICE WEFT_SHARED(float) place(WEFT_SHARED(float) memory, Located at, std::uint64_t clock) {
  if (at.at < 0) return nullptr;
  if (at.slots == 1) return memory + at.at;
  const int now = static_cast<int>(clock % static_cast<std::uint64_t>(at.slots));
  return memory + at.at + (now - at.lag + at.slots) % at.slots * at.slot;
}

/// One call's batch: samples one behind the other, gathered by order.
WEFT_DEVICE void gather_batch(Team team, WEFT_GLOBAL(const Member) member, std::int32_t call,
                              WEFT_GLOBAL(const float) from, std::int32_t elements, WEFT_SHARED(float) to) {
  const std::int32_t each = elements / member->batch;
  for (std::int32_t i = static_cast<std::int32_t>(team.rank); i < elements; i += static_cast<std::int32_t>(team.size)) {
    const Index row = static_cast<Index>(call) * member->batch + i / each;
    to[i] = from[(member->order == nullptr ? row : member->order[row]) * each + i % each];
  }
}

/// Copies the kept buffers into the block's memory, or those that were written out of it.
WEFT_DEVICE void move_buffers(Team team, WEFT_GLOBAL(const PlacedProgram) program, WEFT_GLOBAL(const Member) member,
                              WEFT_SHARED(float) memory, bool in) {
  for (std::int32_t b = 0; b < program->buffers; ++b) {
    const PlacedBuffer placed = program->kept()[b];
    const Held held = member->held()[b];
    if (!in && placed.written == 0) continue;
    for (Index i = team.rank; i < static_cast<Index>(placed.slots) * placed.elements; i += team.size) {
      const Index slot = i / placed.elements, element = i % placed.elements;
      WEFT_GLOBAL(float) there = held.at + slot * held.stride + element;
      if (in)
        memory[placed.at + i] = *there;
      else
        *there = memory[placed.at + i];
    }
  }
}

/// All calls of a member. team: the whole block, one group, with the scratch that the program has a place for.
WEFT_DEVICE void interpret(Team team, WEFT_SHARED(float) memory, WEFT_GLOBAL(const PlacedProgram) program,
                           WEFT_GLOBAL(const Member) member) {
  move_buffers(team, program, member, memory, true);
  for (std::int32_t call = 0; call < member->count; ++call) {
    const std::uint64_t clock = member->clock + static_cast<std::uint64_t>(call);
    const float rate = member->rates[call];
    if (program->input_elements > 0)
      gather_batch(team, member, call, member->inputs, program->input_elements, memory + program->input_at);
    if (program->target_elements > 0)
      gather_batch(team, member, call, member->targets, program->target_elements, memory + program->target_at);
    team.barrier();
    for (std::int32_t i = 0; i < program->steps; ++i) {
      const PlacedStep placed = program->code()[i];
      if (placed.meets != 0) team.barrier();
      Operands at{};
      for (int o = 0; o < 3; ++o) {
        at.in[o] = place(memory, placed.in[o], clock);
        at.out[o] = place(memory, placed.out[o], clock);
        at.when[o] = reinterpret_cast<WEFT_GLOBAL(const uint32_t)>(place(memory, placed.when[o], clock));
      }
      if (is_due(placed.step, at)) run_step(placed.step.op, team, placed.step, rate, at);
    }
    team.barrier();
    if (team.rank == 0) {
      const bool taken = program->loss_at >= 0;
      member->outcomes[call] =
          CallOutcome{taken ? memory[program->loss_at] : 0.0f, taken ? *counter(memory + program->finite_at) : 1u};
    }
  }
  move_buffers(team, program, member, memory, false);
}

}  // namespace kernels
}  // namespace weft
