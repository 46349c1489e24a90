// Tween: every leaf gets the projected gap at half the rate.
#include "src/credit/local_updates.h"

namespace weft {

template <>
void train_leaves<Rule::kTween>(Credit& credit, const Tape& tape, const Value& gap) {
  update_finite_leaves(credit.builder, leaf_tapes(tape), gap, 1.0, 0.5);
}

}  // namespace weft
