// Linear: a carry goes down through the weights alone, updating on the way.
#include "src/credit/linear_walk.h"

namespace weft {

template <>
void train_leaves<Rule::kLinear>(Credit& credit, const Tape& tape, const Value& gap) {
  LinearWalk walk(leaf_tapes(tape).size(), "");
  walk_down(credit.builder, tape, gap, walk);
}

}  // namespace weft
