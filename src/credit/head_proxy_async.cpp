// HeadProxyAsync: the hidden leaves share the linear proxy of the call before.
#include "src/credit/local_updates.h"

namespace weft {

template <>
void train_leaves<Rule::kHeadProxyAsync>(Credit& credit, const Tape& tape, const Value& gap) {
  Builder& builder = credit.builder;
  const HeadSplit split(tape);
  const Tape& head = split.head();
  // A proxy of another batch size is dropped: the tag is the kept proxy's number of elements.
  const Value kept = builder.kept(credit.state + ".proxy", head.x.shape);
  const auto size = static_cast<std::uint32_t>(kept.elements());
  const Operand kept_size = builder.counter(credit.state + ".size", Role::kRule);
  const Operand had = builder.counter(credit.state + ".had");
  const auto update_hidden = [&](Predicate when) {
    if (split.hidden().empty()) return;
    const Builder::Guard guard(builder, when);
    update_leaves(builder, split.hidden(), kept, split.share());
  };

  builder.equals(kept_size, size, had);
  update_hidden(Builder::if_set(had));
  update_leaf(builder, head, gap, 1.0);
  builder.copy(linear_proxy(builder, head, gap), kept);
  builder.set(kept_size, size);
  update_hidden(Builder::if_clear(had));
}

}  // namespace weft
