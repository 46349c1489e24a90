// The line schedule: a pipe over the top-level ops. Every call moves each sample on by one op, the
// oldest first, and the rule runs at once on the sample that leaves the last op.
#include "src/core/try.h"
#include "src/credit/credit.h"
#include "src/schedule/schedule.h"

namespace weft {
namespace {

std::int64_t hops(const Layer& layer) {
  if (dynamic_cast<const SequenceLayer*>(&layer) == nullptr) return 1;
  std::int64_t count = 0;
  for (const auto& child : layer.children()) count += hops(*child);
  return count;
}

/// Lays out a sample's tape in rings. The op at hop j writes its part j calls after the sample came in
/// and the rule reads it D-1 calls after: a ring of D-j slots is enough.
Result<Tape> ring_tape(const Layer& layer, const Value& x, TapeStore& store) {
  if (dynamic_cast<const SequenceLayer*>(&layer) == nullptr) {
    auto tape = layer.tape(x, store);
    --store.slots;
    return tape;
  }
  Tape tape{.layer = &layer, .x = x, .z = {}, .y = x, .saved = {}, .children = {}};
  for (const auto& child : layer.children()) {
    WEFT_ASSIGN_OR_RETURN(Tape below, ring_tape(*child, tape.y, store));
    tape.y = below.y;
    tape.children.push_back(std::move(below));
  }
  return tape;
}

/// The same tape for the sample that came in `lag` calls ago.
Tape at_lag(Tape tape, std::int32_t lag) {
  for (Value* value : {&tape.x, &tape.z, &tape.y}) value->at.lag = lag;
  for (Value& value : tape.saved) value.at.lag = lag;
  for (Tape& child : tape.children) child = at_lag(std::move(child), lag);
  return tape;
}

void collect_hops(const Tape& tape, std::vector<const Tape*>& hops) {
  if (dynamic_cast<const SequenceLayer*>(tape.layer) == nullptr) {
    hops.push_back(&tape);
    return;
  }
  for (const Tape& child : tape.children) collect_hops(child, hops);
}

/// The rule on the sample that has passed every op.
void pop(Plan& plan, Builder& builder, const Call& call, const Tape& tape, const Value& target) {
  const Value gap = builder.scratch("gap", tape.y.shape);
  const auto take_gap = [&] {
    builder.loss_gap(tape.y, target, &gap);
    return gap;
  };
  const auto fresh = [&] {
    plan.stack->forward(builder, tape);
    return take_gap();
  };
  Credit credit{builder, "rule." + to_string(call.mode), call.alt_times, fresh};
  train(call.mode.rule, credit, tape, call.mode.rule == Rule::kAlt ? Value{} : take_gap());
}

}  // namespace

std::int64_t line_depth(const Plan& plan) { return hops(*plan.stack); }

Result<Program> build_line(Plan& plan, const Call& call) {
  Program program = new_program(plan, call);
  Builder builder(plan.buffers, program);
  const std::int64_t depth = line_depth(plan);
  TapeStore store{plan.buffers, "pipe/", Role::kPipe, depth};
  const Value input = store.make("input", call.input);
  Value target = store.make("target", call.target);
  WEFT_ASSIGN_OR_RETURN(const Tape tape, ring_tape(*plan.stack, input, store));
  WEFT_RETURN_IF_ERROR(check_target(tape.y.shape, call.target));
  std::vector<const Tape*> ops;
  collect_hops(tape, ops);

  if (call.inject) {
    builder.copy({{BufferTable::kInput}, call.input}, input);
    builder.copy({{BufferTable::kTarget}, call.target}, target);
  }
  for (std::int64_t j = call.oldest; j >= call.youngest; --j) {
    const auto lag = static_cast<std::int32_t>(j);
    const bool popped = j == depth - 1;
    // Alt runs the popped sample's whole chain again anyway.
    if (!popped || call.mode.rule != Rule::kAlt) {
      const Tape op = at_lag(*ops[static_cast<std::size_t>(j)], lag);
      op.layer->forward(builder, op);
    }
    if (!popped) continue;
    target.at.lag = lag;
    pop(plan, builder, call, at_lag(tape, lag), target);
  }
  return program;
}

}  // namespace weft
