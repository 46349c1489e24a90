// FastProxy: the hidden leaves share the head's linear input gradient.
#include "src/credit/local_updates.h"

namespace weft {

template <>
void train_leaves<Rule::kFastProxy>(Credit& credit, const Tape& tape, const Value& gap) {
  const HeadSplit split(tape);
  const Value proxy = linear_proxy(credit.builder, split.head(), gap);
  update_leaf(credit.builder, split.head(), gap, 1.0);
  if (!split.hidden().empty()) update_leaves(credit.builder, split.hidden(), proxy, split.share());
}

}  // namespace weft
