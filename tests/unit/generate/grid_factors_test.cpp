// Numbers that scale rows: taken over by the updates where nothing else reads those rows.
#include "src/generate/grid_factors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "src/plan/plan.h"
#include "src/schedule/schedule.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

struct Counts {
  std::ptrdiff_t scalings = 0, updates = 0;  // by a number
  bool operator==(const Counts&) const = default;
};

struct Found {
  Counts before, after;
};

Counts count(const Program& program) {
  const auto of = [&](auto test) { return std::count_if(program.code.begin(), program.code.end(), test); };
  return {of([](const Instruction& i) { return i.op == Opcode::kScale && i.in[1].present(); }),
          of([](const Instruction& i) { return i.op == Opcode::kUpdate && i.in[2].present(); })};
}

Found look(const char* mode, const Optimizer& optimizer = {}) {
  Stack model{dense(20, 16, Activation::kTanh), dense(16, 12, Activation::kTanh), dense(12, 4)};
  model.initialise().value();
  auto plan = make_plan(model, Loss::kMse, optimizer).value();
  const Call call{.mode = parse_mode(mode).value(), .input = {8, 20}, .target = {8, 4}};
  const Program program = build_training(*plan, call).value();
  return {count(program), count(with_late_factors(program, plan->buffers))};
}

TEST(GridFactors, GoToTheUpdatesOfCachedCarries) {
  const Found found = look("TweenSplitLinearCache");
  EXPECT_EQ(found.before, (Counts{3, 0}));
  EXPECT_EQ(found.after, (Counts{0, 3}));
}

TEST(GridFactors, StayWhereGradientsAreKept) {
  const Found found = look("TweenSplitLinearCache", adamw());
  EXPECT_EQ(found.before, (Counts{3, 0}));
  EXPECT_EQ(found.after, found.before);
}

TEST(GridFactors, AreNotFoundWhereThereAreNone) {
  EXPECT_EQ(look("NormalBP").after, (Counts{0, 0}));
  EXPECT_EQ(look("TweenSplitLinear").after, (Counts{0, 0}));
}

}  // namespace
}  // namespace weft::test
