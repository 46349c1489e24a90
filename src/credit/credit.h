// Credit: how a rule turns a tape and a gap into updates. One file per rule; rules.def lists them.
#pragma once

#include <functional>
#include <string>

#include "src/layers/leaf.h"
#include "weft/mode.hpp"

namespace weft {

/// What a rule works with besides the tape and the gap.
struct Credit {
  Builder& builder;
  std::string state;  // prefix of the names of the rule's own state: "rule.TweenSplitSparse"
  int alt_times = 1;
  /// Alt only: emits a fresh forward of the same tape and takes its gap. Runs even where the loss is not finite.
  std::function<Value()> fresh = {};
};

/// Emits the updates of a rule for the leaves on `tape`, gap at its output. Nothing moves where the
/// loss is not finite.
void train(Rule rule, Credit& credit, const Tape& tape, const Value& gap);

/// One rule's own arithmetic; specialised in the rule's file.
template <Rule rule>
void train_leaves(Credit& credit, const Tape& tape, const Value& gap);

#define WEFT_RULE(identifier, ...) \
  template <>                      \
  void train_leaves<Rule::k##identifier>(Credit & credit, const Tape& tape, const Value& gap);
#include "weft/rules.def"
#undef WEFT_RULE

/// A rule's arithmetic without the guard.
void train_unguarded(Rule rule, Credit& credit, const Tape& tape, const Value& gap);

/// Alt for a child with a rule of its own: it cannot take its gap again, so all rounds share one, and
/// the first uses the saved tape.
void train_alt_child(Credit& credit, const Tape& tape, const Value& gap);

inline bool is_chain_rule(Rule rule) { return rule == Rule::kBP || rule == Rule::kTweenChain; }

/// BP with modes set below: children from the last to the first, each under its own rule. Returns
/// the gap below. See "Per-child and per-branch modes" in docs/modes.md.
Value train_mixed(Rule rule, Credit& credit, const Tape& tape, const Value& gap);

/// A number that differs where the leaves of two tapes differ in number or size.
std::uint32_t tape_tag(const Tape& tape);

}  // namespace weft
