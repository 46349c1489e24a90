// The cases of every instruction, and the conditions that each may stand under.
#include "tests/metal/emulate/case_lists.h"

namespace weft::test {
namespace {

void write_cases(Opcode op, CaseWriter& writer) {
  switch (op) {
    case Opcode::kForward: return forward(writer);
    case Opcode::kDelta: return delta(writer);
    case Opcode::kGradInput:
    case Opcode::kWeightGrad:
    case Opcode::kBiasGrad:
    case Opcode::kUpdate:
    case Opcode::kBiasUpdate: return gradients(op, writer);
    case Opcode::kApply: return apply(writer);
    case Opcode::kScale:
    case Opcode::kScaleRows:
    case Opcode::kCopyColumns: return signals(op, writer);
    case Opcode::kSubtract:
    case Opcode::kZero:
    case Opcode::kSoftmax:
    case Opcode::kSoftmaxGrad:
    case Opcode::kRowDot: return rows(op, writer);
    case Opcode::kProject: return project(writer);
    case Opcode::kLossGap: return loss_gap(writer);
    case Opcode::kRms:
    case Opcode::kClip: return numbers_of_all(op, writer);
    case Opcode::kIsFinite: return is_finite(writer);
    case Opcode::kRatio:
    case Opcode::kCount:
    case Opcode::kSet:
    case Opcode::kEquals:
    case Opcode::kRefresh: return single_numbers(op, writer);
    case Opcode::kTargetBelow: return target_below(writer);
    case Opcode::kLinkBudget: return link_budget(writer);
    case Opcode::kAscend: return ascend(writer);
  }
}

/// Conditions: in each of the three places, of each kind, holding and not.
void write_conditions(std::vector<KernelCase>& cases) {
  if (cases.empty()) return;
  using Test = Predicate::Test;
  struct Variant {
    Test test;
    double counter;
  };
  constexpr Variant kVariants[] = {{Test::kNonZero, 5}, {Test::kNonZero, 0}, {Test::kZero, 0},
                                   {Test::kZero, 5},    {Test::kModulo, 9},  {Test::kModulo, 8}};
  const KernelCase model = cases.back();
  for (std::size_t place = 0; place < 3; ++place) {
    for (const auto& [test, counter] : kVariants) {
      KernelCase made = model;
      const auto add = [&](double value) {
        made.buffers.push_back({Element::kCounter, {value}});
        return static_cast<BufferId>(made.buffers.size()) - 1;
      };
      for (std::size_t other = 0; other < place; ++other) made.instruction.when[other] = {add(1), Test::kNonZero, 1, 0};
      made.instruction.when[place] = {add(counter), test, 4, 1};
      made.name += fmt::format(" when[{}] test {} of {}", place, static_cast<int>(test), counter);
      cases.push_back(std::move(made));
    }
  }
}

}  // namespace

std::vector<KernelCase> kernel_cases(Opcode op) {
  CaseWriter writer(op);
  write_cases(op, writer);
  std::vector<KernelCase> cases = writer.take();
  write_conditions(cases);
  return cases;
}

}  // namespace weft::test
