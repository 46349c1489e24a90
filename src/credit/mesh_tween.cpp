// MeshTween: each Dense cell moves towards a target passed down through its weights.
#include "src/core/try.h"
#include "src/credit/mesh_targets.h"

namespace weft {

Status train_mesh_tween(const Plan& plan, Builder& builder, const MeshTape& mesh, const Value& target) {
  const std::vector<Value> acts = activations(mesh);
  std::vector<PendingMove> moves;
  Value tau = target;
  for (std::size_t c = plan.cells.size(); c-- > 0;) {
    const Tape* tape = mesh.latest(c);
    if (plan.cells[c].disabled || tape == nullptr) continue;  // passes tau on
    const auto* leaf = dynamic_cast<const Leaf*>(tape->layer);
    if (leaf == nullptr) {
      tau = acts[c];
      continue;
    }
    WEFT_RETURN_IF_ERROR(check_cell(c, "target", tau.shape, tape->y.shape));
    WEFT_RETURN_IF_ERROR(check_cell(c, "activation before it", acts[c].shape, tape->x.shape));
    const Value& y = acts[c + 1];
    const Value difference = builder.scratch(fmt::format("cell{}.difference", c), y.shape);
    builder.subtract(tau, y, difference);
    Tape seen = *tape;
    seen.x = {acts[c].at, tape->x.shape};
    leaf->gradients(builder, seen, difference, false);
    moves.push_back({leaf, LinkBudget(builder, c, y, tau), 1.0 / static_cast<double>(y.shape.rows())});
    const Value below = builder.scratch(fmt::format("cell{}.target", c), tape->x.shape);
    builder.target_below(tau, leaf->parameters().front(), below);
    tau = below;
  }
  move(builder, moves);
  return {};
}

}  // namespace weft
