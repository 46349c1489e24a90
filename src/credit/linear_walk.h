// The Linear rule's walk: each leaf is updated before the carry passes through its new weights.
#pragma once

#include <string>

#include "src/credit/local_updates.h"

namespace weft {

class LinearWalk : public Walk {
 public:
  /// `count`: N. `keep`: prefix under which the projected carries are kept, empty where they are not.
  LinearWalk(std::size_t count, std::string keep) : share_(1.0 / static_cast<double>(count)), keep_(std::move(keep)) {}

  bool linear() const override { return true; }

  Value leaf(Builder& builder, const Leaf& leaf, const Tape& tape, const Value& carry) override {
    Value signal = leaf.projected(builder, tape, carry);
    if (!keep_.empty()) {
      const Value kept = builder.kept(keep_ + "." + leaf.name(), tape.y.shape);
      builder.copy(signal, kept);
      signal = kept;
      kept_.push_back({&tape, kept});
    }
    update_leaf(builder, tape, signal, share_);
    return leaf.grad_input(builder, tape, signal);
  }

  struct Kept {
    const Tape* leaf;
    Value carry;
  };
  /// What was kept, from the head down. A filter's gate, which the walk passes by, is not among it.
  const std::vector<Kept>& kept() const { return kept_; }
  double share() const { return share_; }

 private:
  double share_;
  std::string keep_;
  std::vector<Kept> kept_;
};

}  // namespace weft
