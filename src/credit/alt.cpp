// Alt: Split and Tween in turns, each on a fresh forward.
#include "src/credit/local_updates.h"

namespace weft {
namespace {

void split_round(Credit& credit, const Tape& tape, const Value& gap) {
  const auto leaves = leaf_tapes(tape);
  update_finite_leaves(credit.builder, leaves, gap, 1.0 / static_cast<double>(leaves.size()), 1.0);
}

void tween_round(Credit& credit, const Tape& tape, const Value& gap) { train_leaves<Rule::kTween>(credit, tape, gap); }

}  // namespace

/// `gap` is not used: each round takes its own. A round whose loss is not finite moves nothing.
template <>
void train_leaves<Rule::kAlt>(Credit& credit, const Tape& tape, const Value&) {
  Builder& builder = credit.builder;
  for (int i = 0; i < credit.alt_times; ++i) {
    for (auto* round : {&split_round, &tween_round}) {
      const Value fresh_gap = credit.fresh();
      const Builder::Guard guard(builder, Builder::if_set(builder.counter("loss_finite")));
      round(credit, tape, fresh_gap);
    }
  }
}

void train_alt_child(Credit& credit, const Tape& tape, const Value& gap) {
  for (int i = 0; i < credit.alt_times; ++i) {
    split_round(credit, tape, gap);
    tape.layer->forward(credit.builder, tape);
    tween_round(credit, tape, gap);
  }
}

}  // namespace weft
