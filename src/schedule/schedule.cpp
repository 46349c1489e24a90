// Picks the schedule, checks that it fits what was mounted, and runs the passes.
#include "src/schedule/schedule.h"

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/program/passes.h"
#include "src/schedule/mesh_clock.h"

namespace weft {
namespace {

Status check_schedule(const Plan& plan, Mode mode) {
  const bool mesh = mode.schedule == Schedule::kMesh;
  if (mesh == plan.is_grid()) return {};
  if (mesh)
    return {StatusCode::kInvalidArgument,
            fmt::format("{} runs on the clock of a grid, but a stack is mounted: mount a weft::Grid, or use {} or {}",
                        to_string(mode), to_string(Mode{Schedule::kStack, mode.rule}),
                        to_string(Mode{Schedule::kLine, mode.rule}))};
  return {StatusCode::kInvalidArgument,
          fmt::format("{} runs on a stack, but a grid is mounted: mount a weft::Stack, or use {}", to_string(mode),
                      to_string(Mode{Schedule::kMesh, mode.rule}))};
}

Value input_of(const Shape& shape) { return {{BufferTable::kInput}, shape}; }

/// Lays out and emits a forward pass with no rule after it. Its buffers are its own: samples in the pipe stay as they
/// are.
Result<Value> emit_forward(Plan& plan, Builder& builder, const Shape& input, int ticks) {
  const TapeStore store{plan.buffers, "infer/"};
  if (plan.is_grid()) {
    WEFT_ASSIGN_OR_RETURN(const MeshTape mesh, lay_out_clock(plan, input_of(input), ticks, "infer/"));
    emit_clock(builder, mesh);
    return mesh.output;
  }
  WEFT_ASSIGN_OR_RETURN(const Tape tape, plan.stack->tape(input_of(input), store));
  plan.stack->forward(builder, tape);
  return tape.y;
}

}  // namespace

Program new_program(const Plan& plan, const Call& call) {
  Program program;
  program.title = fmt::format("{}: input {}, target {}, {}", to_string(call.mode), to_string(call.input),
                              to_string(call.target), to_string(plan.loss));
  program.loss = plan.loss;
  program.optimizer = plan.optimizer;
  return program;
}

Status check_target(const Shape& output, const Shape& target) {
  if (output == target) return {};
  return {StatusCode::kInvalidArgument, fmt::format("target is {}, wanted {}: the shape of the model's output",
                                                    to_string(target), to_string(output))};
}

Result<Program> build_training(Plan& plan, const Call& call) {
  WEFT_RETURN_IF_ERROR(check_schedule(plan, call.mode));
  const BufferTable before = plan.buffers;
  auto program = call.mode.schedule == Schedule::kStack  ? build_stack(plan, call)
                 : call.mode.schedule == Schedule::kLine ? build_line(plan, call)
                                                         : build_mesh(plan, call);
  if (program.ok()) run_passes(*program, before, plan.buffers);
  return program;
}

Result<Program> build_inference(Plan& plan, const Shape& input, const Shape& target, int ticks) {
  Program program;
  program.title = fmt::format("forward: input {}", to_string(input));
  program.loss = plan.loss;
  const BufferTable before = plan.buffers;
  Builder builder(plan.buffers, program);
  WEFT_ASSIGN_OR_RETURN(const Value output, emit_forward(plan, builder, input, ticks));
  program.output = output.at;
  program.output_shape = output.shape;
  if (target.rank() > 0) {
    WEFT_RETURN_IF_ERROR(check_target(output.shape, target));
    builder.loss_gap(output, {{BufferTable::kTarget}, target}, nullptr);
  }
  run_passes(program, before, plan.buffers);
  return program;
}

}  // namespace weft
