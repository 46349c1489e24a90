// Split: every leaf gets the projected gap, divided by their number.
#include "src/credit/local_updates.h"

namespace weft {

template <>
void train_leaves<Rule::kSplit>(Credit& credit, const Tape& tape, const Value& gap) {
  const auto leaves = leaf_tapes(tape);
  update_leaves(credit.builder, leaves, gap, 1.0 / static_cast<double>(leaves.size()));
}

}  // namespace weft
