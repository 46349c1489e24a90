// What both target propagations share: activations down the linear index, link budgets, the moves.
#pragma once

#include <fmt/format.h>

#include "src/credit/mesh_rules.h"
#include "src/credit/walks.h"

namespace weft {

/// 1 - m with momentum m = 0.9 and velocities at zero in each call.
inline constexpr double kOneMinusMomentum = 0.1;

/// a_0 = the input, a_{i+1} = the value of cell i after the last tick; an empty cell is passed over.
inline std::vector<Value> activations(const MeshTape& mesh) {
  std::vector<Value> acts{mesh.input};
  for (const Value& value : mesh.values) acts.push_back(value.present() ? value : acts.back());
  return acts;
}

/// A cell's budget and rate, and the guard under which it moves.
struct LinkBudget {
  LinkBudget(Builder& builder, std::size_t cell, const Value& activation, const Value& target)
      : rate(builder.real(fmt::format("cell{}.rate", cell))),
        active(builder.counter(fmt::format("cell{}.active", cell))) {
    builder.link_budget(activation, target, kOneMinusMomentum, rate, active);
  }
  Operand rate, active;
};

/// A move that waits until all targets and gradients are known.
struct PendingMove {
  const Leaf* leaf;
  LinkBudget budget;
  double scale;
};

inline void move(Builder& builder, const std::vector<PendingMove>& moves) {
  for (const PendingMove& pending : moves) {
    const Builder::Guard guard(builder, Builder::if_set(pending.budget.active));
    for (const Parameter& parameter : pending.leaf->parameters())
      builder.ascend(pending.leaf->gradient_of(builder, parameter), pending.budget.rate, parameter, pending.scale);
  }
}

inline Status check_cell(std::size_t cell, std::string_view what, const Shape& seen, const Shape& wanted) {
  if (seen.elements() == wanted.elements()) return {};
  return {
      StatusCode::kInvalidArgument,
      fmt::format("cell {}: target propagation runs down the linear index (links are not followed), where the {} is "
                  "{}, wanted {}",
                  cell, what, to_string(seen), to_string(wanted))};
}

}  // namespace weft
