// BP over children with rules of their own.
#include <fmt/format.h>

#include "src/credit/walks.h"
#include "src/layers/parallel.h"
#include "src/layers/residual.h"

namespace weft {
namespace {

Rule rule_of(const Layer& parent, std::size_t child, Rule inherited) {
  return child < parent.modes().size() && parent.modes()[child] ? parent.modes()[child]->rule : inherited;
}

/// What a local rule lets through: the gap where the sizes agree, else nothing.
Value gap_below(Builder& builder, const Tape& tape, const Value& gap) {
  if (gap.elements() == tape.x.elements()) return {gap.at, tape.x.shape};
  const Value zeros = builder.scratch("op." + tape.layer->path() + ".zeros", tape.x.shape);
  builder.zero(zeros);
  return zeros;
}

Value train_local(Rule rule, Credit& credit, const Tape& tape, const Value& gap) {
  Credit own{credit.builder, fmt::format("{}.{}.{}", credit.state, tape.layer->path(), to_string(rule)),
             credit.alt_times};
  if (rule == Rule::kAlt) {
    train_alt_child(own, tape, gap);
  } else {
    train_unguarded(rule, own, tape, gap);
  }
  return gap_below(credit.builder, tape, gap);
}

Value train_branches(const ParallelLayer& parallel, Rule rule, Credit& credit, const Tape& tape, const Value& gap) {
  Builder& builder = credit.builder;
  // The gate first: its gradient needs the branches' saved outputs, which an Alt branch writes over.
  if (parallel.has_gate()) {
    BackpropWalk walk;
    const Tape& gate = tape.children.back();
    gate.layer->backward(builder, gate, parallel.gate_gap(builder, tape, gap), walk);
  }
  for (std::size_t b = 0; b < parallel.branches(); ++b)
    train_mixed(rule_of(parallel, b, rule), credit, tape.children[b], parallel.share(builder, tape, gap, b));
  // The gap below sees the weights that the branches have now.
  const TapeStore store{builder.buffers(), "again/"};
  const Tape again = *parallel.tape(tape.x, store);  // the same input has passed this layer before
  parallel.forward(builder, again);
  GradientWalk walk;
  return parallel.backward(builder, again, gap, walk);
}

}  // namespace

Value train_mixed(Rule rule, Credit& credit, const Tape& tape, const Value& gap) {
  if (!is_chain_rule(rule)) return train_local(rule, credit, tape, gap);
  if (!tape.layer->has_modes()) {
    BackpropWalk walk;
    return tape.layer->backward(credit.builder, tape, gap, walk);
  }
  if (const auto* parallel = dynamic_cast<const ParallelLayer*>(tape.layer))
    return train_branches(*parallel, rule, credit, tape, gap);
  Value carry = gap;
  for (std::size_t i = tape.children.size(); i-- > 0;)
    carry = train_mixed(rule_of(*tape.layer, i, rule), credit, tape.children[i], carry);
  const auto* residual = dynamic_cast<const ResidualLayer*>(tape.layer);
  return residual ? residual->add_skip(credit.builder, tape, carry, gap) : carry;
}

}  // namespace weft
