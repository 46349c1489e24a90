// The mesh schedule: the clock from an empty state, then the rule on the last tick's tape.
#include <fmt/format.h>

#include "src/core/try.h"
#include "src/credit/credit.h"
#include "src/credit/mesh_rules.h"
#include "src/schedule/mesh_clock.h"
#include "src/schedule/schedule.h"

namespace weft {
namespace {

bool propagates_targets(Rule rule) { return rule == Rule::kTween || rule == Rule::kTweenChain; }

Status check_mesh_rule(const Plan& plan, Mode mode) {
  const Optimizer& optimizer = plan.optimizer;
  const bool plain = plan.loss == Loss::kMse && optimizer.kind == OptimizerKind::kSgd &&
                     optimizer.weight_decay == 0.0 && optimizer.clip == 0.0;
  if (propagates_targets(mode.rule) && !plain)
    return {StatusCode::kInvalidArgument,
            fmt::format("{} takes loss mse and optimizer sgd without weight decay and clipping only, but the session "
                        "has {}, {}, weight decay {} and clip {}",
                        to_string(mode), to_string(plan.loss), to_string(optimizer.kind), optimizer.weight_decay,
                        optimizer.clip)};
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    const bool chain = is_chain_rule(mode.rule);
    if (chain && plan.cells[c].op && plan.cells[c].op->has_modes())
      return {StatusCode::kInvalidArgument,
              fmt::format("cell {}: {} sums gradients over the grid, where child and branch modes have no meaning; "
                          "unset them or use a Split mode, which ignores them",
                          c, to_string(mode))};
  }
  return {};
}

}  // namespace

Result<Program> build_mesh(Plan& plan, const Call& call) {
  WEFT_RETURN_IF_ERROR(check_mesh_rule(plan, call.mode));
  Program program = new_program(plan, call);
  Builder builder(plan.buffers, program);
  const Value target{{BufferTable::kTarget}, call.target};
  WEFT_ASSIGN_OR_RETURN(const MeshTape mesh, lay_out_clock(plan, {{BufferTable::kInput}, call.input}, call.ticks, ""));
  WEFT_RETURN_IF_ERROR(check_target(mesh.output.shape, call.target));
  const Value gap = builder.scratch("gap", mesh.output.shape);
  const auto clock_and_gap = [&] {
    emit_clock(builder, mesh);
    builder.loss_gap(mesh.output, target, &gap);
    return gap;
  };

  if (call.mode.rule != Rule::kBP && !propagates_targets(call.mode.rule)) {
    Credit credit{builder, "rule." + to_string(call.mode), call.alt_times, clock_and_gap};
    train(call.mode.rule, credit, mesh.last_tick(), call.mode.rule == Rule::kAlt ? Value{} : clock_and_gap());
    return program;
  }
  clock_and_gap();
  const Builder::Guard guard(builder, Builder::if_set(builder.counter("loss_finite")));
  if (call.mode.rule == Rule::kBP) {
    train_mesh_bp(plan, builder, mesh, gap);
  } else if (call.mode.rule == Rule::kTween) {
    WEFT_RETURN_IF_ERROR(train_mesh_tween(plan, builder, mesh, target));
  } else {
    WEFT_RETURN_IF_ERROR(train_mesh_tween_chain(plan, builder, mesh, target));
  }
  return program;
}

}  // namespace weft
