// The table from rules to their emitters, and the guard that a loss which is not finite moves nothing.
#include "src/credit/credit.h"

namespace weft {
namespace {

using TrainLeaves = void (*)(Credit&, const Tape&, const Value&);

constexpr TrainLeaves kTrainLeaves[] = {
#define WEFT_RULE(identifier, ...) &train_leaves<Rule::k##identifier>,
#include "weft/rules.def"
#undef WEFT_RULE
};
static_assert(std::size(kTrainLeaves) == kRuleCount);

}  // namespace

void train_unguarded(Rule rule, Credit& credit, const Tape& tape, const Value& gap) {
  if (leaf_tapes(tape).empty()) {                            // nothing to train: a view, or cells that did not run
    if (credit.fresh && rule == Rule::kAlt) credit.fresh();  // the loss is taken all the same
    return;
  }
  kTrainLeaves[static_cast<std::size_t>(rule)](credit, tape, gap);
}

void train(Rule rule, Credit& credit, const Tape& tape, const Value& gap) {
  if (rule == Rule::kAlt) return train_unguarded(rule, credit, tape, gap);  // guards each of its rounds
  const Builder::Guard guard(credit.builder, Builder::if_set(credit.builder.counter("loss_finite")));
  train_unguarded(rule, credit, tape, gap);
}

std::uint32_t tape_tag(const Tape& tape) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  const auto mix = [&](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte)
      hash = (hash ^ static_cast<std::uint32_t>(value >> (8 * byte) & 255u)) * 16777619u;
  };
  for (const Tape* leaf : leaf_tapes(tape)) {
    mix(static_cast<std::uint64_t>(static_cast<const Leaf*>(leaf->layer)->number()));
    mix(static_cast<std::uint64_t>(leaf->y.elements()));
  }
  return hash == 0 ? 1 : hash;  // 0 means nothing kept
}

}  // namespace weft
