// HeadProxy: the hidden leaves share the head's full input gradient.
#include "src/credit/local_updates.h"

namespace weft {

template <>
void train_leaves<Rule::kHeadProxy>(Credit& credit, const Tape& tape, const Value& gap) {
  const HeadSplit split(tape);
  const Tape& head = split.head();
  const Value d = leaf_of(head).delta(credit.builder, head, gap);
  const Value proxy = leaf_of(head).grad_input(credit.builder, head, d);
  leaf_of(head).update(credit.builder, head, d, 1.0);
  if (!split.hidden().empty()) update_leaves(credit.builder, split.hidden(), proxy, split.share());
}

}  // namespace weft
