// MeshTweenChain: the chain rule of target - output down the cells, each moving at its link's rate.
#include "src/core/try.h"
#include "src/credit/mesh_targets.h"

namespace weft {
namespace {

constexpr double kTargetStep = 0.1;

}  // namespace

Status train_mesh_tween_chain(const Plan& plan, Builder& builder, const MeshTape& mesh, const Value& target) {
  const std::vector<Value> acts = activations(mesh);
  std::vector<PendingMove> moves;
  Value tau = target;
  Value gradient = builder.scratch("gradient", mesh.output.shape);
  builder.subtract(target, mesh.output, gradient);
  for (std::size_t c = plan.cells.size(); c-- > 0;) {
    const Tape* tape = mesh.latest(c);
    if (plan.cells[c].disabled || tape == nullptr) continue;  // passes its target and gradient on
    WEFT_RETURN_IF_ERROR(check_cell(c, "gradient", gradient.shape, tape->y.shape));
    WEFT_RETURN_IF_ERROR(check_cell(c, "activation before it", acts[c].shape, tape->x.shape));
    const LinkBudget budget(builder, c, acts[c + 1], tau);
    CollectWalk walk(false);
    gradient = tape->layer->backward(builder, *tape, gradient, walk);
    for (const Tape* leaf : leaf_tapes(*tape)) moves.push_back({&leaf_of(*leaf), budget, 1.0});
    tau = builder.scratch(fmt::format("cell{}.target", c), acts[c].shape);
    builder.copy(acts[c], tau);
    builder.scale(gradient, tau, kTargetStep, true);
  }
  move(builder, moves);
  return {};
}

}  // namespace weft
