// Walks: the chain rule down a tape, and what is done with each leaf's gradient on the way.
#pragma once

#include "src/credit/credit.h"

namespace weft {

inline const Leaf& leaf_of(const Tape& tape) { return static_cast<const Leaf&>(*tape.layer); }

/// Chain rule; each leaf is updated once its gradient has been passed on, so that every gradient is
/// taken with the weights as they were.
class BackpropWalk : public Walk {
 public:
  Value leaf(Builder& builder, const Leaf& leaf, const Tape& tape, const Value& carry) override {
    const Value d = leaf.delta(builder, tape, carry);
    const Value below = leaf.grad_input(builder, tape, d);
    leaf.update(builder, tape, d, 1.0);
    return below;
  }
};

/// Chain rule; no weight moves.
class GradientWalk : public Walk {
 public:
  Value leaf(Builder& builder, const Leaf& leaf, const Tape& tape, const Value& carry) override {
    return leaf.grad_input(builder, tape, leaf.delta(builder, tape, carry));
  }
};

/// Chain rule; each leaf's gradients go to its gradient buffers, from there to be applied later.
class CollectWalk : public Walk {
 public:
  explicit CollectWalk(bool accumulate) : accumulate_(accumulate) {}
  Value leaf(Builder& builder, const Leaf& leaf, const Tape& tape, const Value& carry) override {
    const Value d = leaf.delta(builder, tape, carry);
    const Value below = leaf.grad_input(builder, tape, d);
    leaf.gradients(builder, tape, d, accumulate_);
    return below;
  }

 private:
  bool accumulate_;
};

/// Walks down a tape; a tape without a layer is the mesh's list of cells, whose sizes need not fit.
inline Value walk_down(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) {
  if (tape.layer != nullptr) return tape.layer->backward(builder, tape, gap, walk);
  Value carry = gap;
  for (auto cell = tape.children.rbegin(); cell != tape.children.rend(); ++cell) {
    if (carry.elements() != cell->y.elements()) {
      const Value fitted = builder.scratch("op." + cell->layer->path() + ".carry", cell->y.shape);
      builder.project(carry, fitted, 1.0);
      carry = fitted;
    }
    carry = cell->layer->backward(builder, *cell, carry, walk);
  }
  return carry;
}

}  // namespace weft
