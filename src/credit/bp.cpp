// BP and TweenChain: the chain rule from the head down.
#include "src/credit/walks.h"

namespace weft {

template <>
void train_leaves<Rule::kBP>(Credit& credit, const Tape& tape, const Value& gap) {
  if (tape.layer != nullptr && tape.layer->has_modes()) {
    train_mixed(Rule::kBP, credit, tape, gap);
    return;
  }
  BackpropWalk walk;
  walk_down(credit.builder, tape, gap, walk);
}

template <>
void train_leaves<Rule::kTweenChain>(Credit& credit, const Tape& tape, const Value& gap) {
  train_leaves<Rule::kBP>(credit, tape, gap);
}

}  // namespace weft
