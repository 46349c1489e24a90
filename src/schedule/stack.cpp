// The stack schedule: one full forward, then the rule.
#include "src/core/try.h"
#include "src/credit/credit.h"
#include "src/schedule/schedule.h"

namespace weft {

Result<Program> build_stack(Plan& plan, const Call& call) {
  Program program = new_program(plan, call);
  Builder builder(plan.buffers, program);
  const Value input{{BufferTable::kInput}, call.input};
  const Value target{{BufferTable::kTarget}, call.target};
  WEFT_ASSIGN_OR_RETURN(const Tape tape, plan.stack->tape(input, TapeStore{plan.buffers, ""}));
  WEFT_RETURN_IF_ERROR(check_target(tape.y.shape, call.target));

  const auto forward_and_gap = [&] {
    const Value gap = builder.scratch("gap", tape.y.shape);
    plan.stack->forward(builder, tape);
    builder.loss_gap(tape.y, target, &gap);
    return gap;
  };
  Credit credit{builder, "rule." + to_string(call.mode), call.alt_times, forward_and_gap};
  const bool takes_own_gaps = call.mode.rule == Rule::kAlt;
  train(call.mode.rule, credit, tape, takes_own_gaps ? Value{} : forward_and_gap());
  return program;
}

}  // namespace weft
