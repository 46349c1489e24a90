// Sparse: the head and one hidden leaf in turn.
#include "src/credit/local_updates.h"

namespace weft {

template <>
void train_leaves<Rule::kSparse>(Credit& credit, const Tape& tape, const Value& gap) {
  Builder& builder = credit.builder;
  const HeadSplit split(tape);
  const Operand calls = builder.counter(credit.state + ".calls", Role::kRule);
  const Value proxy = linear_proxy(builder, split.head(), gap);
  update_leaf(builder, split.head(), gap, 1.0);
  const auto hidden = split.hidden();
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const Builder::Guard turn(
        builder, Builder::if_modulo(calls, static_cast<std::int64_t>(hidden.size()), static_cast<std::int64_t>(i)));
    update_leaf(builder, *hidden[i], proxy, 1.0);
  }
  builder.count(calls);
}

}  // namespace weft
