// LinearCache: Linear on every 20th call; between, its kept carries scaled to the present gap.
#include "src/credit/linear_walk.h"

namespace weft {
namespace {

constexpr std::uint32_t kPeriod = 20;

}  // namespace

template <>
void train_leaves<Rule::kLinearCache>(Credit& credit, const Tape& tape, const Value& gap) {
  Builder& builder = credit.builder;
  const auto name = [&](const char* what) { return credit.state + "." + what; };
  const Operand calls = builder.counter(name("calls"), Role::kRule);
  const Operand tag = builder.counter(name("tag"), Role::kRule);
  const Operand kept_rms = builder.real(name("rms"), Role::kRule);
  const Operand gap_rms = builder.real(name("gap_rms"));
  const Operand factor = builder.real(name("factor"));
  const Operand refresh = builder.counter(name("refresh"));

  builder.refresh(calls, tag, kept_rms, kPeriod, tape_tag(tape), refresh);
  LinearWalk walk(leaf_tapes(tape).size(), name("carry"));
  {
    const Builder::Guard guard(builder, Builder::if_set(refresh));
    walk_down(builder, tape, gap, walk);
    builder.rms(gap, kept_rms);
    builder.set(tag, tape_tag(tape));
  }
  {
    const Builder::Guard guard(builder, Builder::if_clear(refresh));
    builder.rms(gap, gap_rms);
    builder.ratio(gap_rms, kept_rms, factor);
    for (const LinearWalk::Kept& kept : walk.kept()) {
      const Value scaled = builder.scratch(leaf_of(*kept.leaf).name() + ".cached", kept.carry.shape);
      builder.scale(kept.carry, scaled, walk.share(), false, factor);
      update_leaf(builder, *kept.leaf, scaled, 1.0);
    }
  }
  builder.count(calls);
}

}  // namespace weft
