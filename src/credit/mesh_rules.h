// The rules whose arithmetic on the mesh is their own.
#pragma once

#include "src/plan/plan.h"
#include "src/schedule/mesh_clock.h"

namespace weft {

/// MeshBP: the gap goes back through the ticks, weight gradients are summed, then one update.
void train_mesh_bp(const Plan& plan, Builder& builder, const MeshTape& mesh, const Value& gap);

/// MeshTween and MeshTweenChain: target propagation down the linear index.
/// Errors: kInvalidArgument naming the cell whose neighbours' widths do not fit.
Status train_mesh_tween(const Plan& plan, Builder& builder, const MeshTape& mesh, const Value& target);
Status train_mesh_tween_chain(const Plan& plan, Builder& builder, const MeshTape& mesh, const Value& target);

}  // namespace weft
