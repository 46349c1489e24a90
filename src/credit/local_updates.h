// Updates of leaves from one shared gap, as Tween and the Split family make them.
#pragma once

#include <span>

#include "src/credit/walks.h"

namespace weft {

/// U(a P(gap), lr * rate) for one leaf.
inline void update_leaf(Builder& builder, const Tape& leaf, const Value& gap, double scale, double rate = 1.0) {
  leaf_of(leaf).update(builder, leaf, leaf_of(leaf).delta(builder, leaf, gap, scale), rate);
}

inline void update_leaves(Builder& builder, std::span<const Tape* const> leaves, const Value& gap, double scale) {
  for (const Tape* leaf : leaves) update_leaf(builder, *leaf, gap, scale);
}

/// The same for every leaf whose output is finite.
inline void update_finite_leaves(Builder& builder, std::span<const Tape* const> leaves, const Value& gap, double scale,
                                 double rate) {
  for (const Tape* leaf : leaves) {
    const Operand finite = builder.counter(leaf_of(*leaf).name() + ".finite");
    builder.is_finite(leaf->y, finite);
    const Builder::Guard guard(builder, Builder::if_set(finite));
    update_leaf(builder, *leaf, gap, scale, rate);
  }
}

/// A leaf list as its hidden part and its head.
struct HeadSplit {
  explicit HeadSplit(const Tape& tape) : leaves(leaf_tapes(tape)) {}
  std::span<const Tape* const> hidden() const { return std::span(leaves).first(leaves.size() - 1); }
  const Tape& head() const { return *leaves.back(); }
  /// 1/(N-1), the share of each hidden leaf.
  double share() const { return 1.0 / static_cast<double>(leaves.size() - 1); }

  std::vector<const Tape*> leaves;
};

/// A_N^T P_N(gap): the gap at the head's input without the activation derivative.
inline Value linear_proxy(Builder& builder, const Tape& head, const Value& gap) {
  return leaf_of(head).grad_input(builder, head, leaf_of(head).projected(builder, head, gap));
}

}  // namespace weft
