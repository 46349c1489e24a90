// target_below, link_budget and ascend by hand-computed values.
#include "tests/unit/backend/device_test.h"

namespace weft::test {
namespace {

class MeshTargetInstructions : public DeviceTest {
 protected:
  struct Budget {
    double rate;
    std::uint64_t active;
  };
  Budget budget(const std::vector<double>& x, const std::vector<double>& w) {
    const Operand left = bench->values("x", x), right = bench->values("w", w);
    const Operand rate = bench->real("rate", -1), active = bench->counter("active", 7);
    Instruction link =
        instruction(Opcode::kLinkBudget, 1, static_cast<std::int64_t>(x.size()), 1, {left, right}, {rate, active});
    link.scale = 2;  // rate = 1 + budget
    EXPECT_TRUE(bench->run(link).ok());
    return {bench->read_real(rate), bench->read_counter(active)};
  }
};
WEFT_ON_EVERY_DEVICE(MeshTargetInstructions);

TEST_P(MeshTargetInstructions, TargetBelowDividesByTheColumnSumsOfWeights) {
  const Operand tau = bench->values("tau", {2, 4, -1, 1}), w = bench->values("W", {1, -2, 3, 2}),
                below = bench->values("below", {9, 9, 9, 9});
  ASSERT_TRUE(bench->run(instruction(Opcode::kTargetBelow, 2, 2, 2, {tau, w}, {below})).ok());
  // Columns |W|: 4, 4. Row 0: (2+12)/4, (-4+8)/4. Row 1: (-1+3)/4, (2+2)/4.
  expect_close(bench->read(below), {3.5, 1, 0.5, 1});
}

TEST_P(MeshTargetInstructions, TargetBelowIsZeroWhereTheDenominatorIsNotAboveOneHundredth) {
  const Operand tau = bench->values("tau", {1, 1}), w = bench->values("W", {0.004, 0.006, 0, 0.004, 0.006, 0}),
                below = bench->values("below", {9, 9, 9});
  ASSERT_TRUE(bench->run(instruction(Opcode::kTargetBelow, 1, 2, 3, {tau, w}, {below})).ok());
  expect_close(bench->read(below), {0, 1, 0});  // sums 0.008, 0.012, 0
}

TEST_P(MeshTargetInstructions, LinkBudgetOfEqualAndOrthogonalVectors) {
  expect_close({budget({1, 2, 3}, {2, 4, 6}).rate}, {2});
  expect_close({budget({1, 0}, {0, 5}).rate}, {1.5});
  EXPECT_EQ(budget({1, 0}, {0, 5}).active, 1u);
}

TEST_P(MeshTargetInstructions, LinkBudgetBelowOneFifthIsNotActive) {
  const auto at = [&](double cosine) { return budget({1, 0}, {cosine, std::sqrt(1 - cosine * cosine)}); };
  EXPECT_EQ(at(-0.59).active, 1u);  // budget 0.205
  EXPECT_EQ(at(-0.61).active, 0u);  // budget 0.195
  expect_close({at(-0.61).rate}, {1.195});
  EXPECT_EQ(budget({1, 1}, {-1, -1}).active, 0u);
  expect_close({budget({1, 1}, {-1, -1}).rate}, {1});
}

TEST_P(MeshTargetInstructions, LinkBudgetOfAZeroVectorIsZero) {
  for (const auto& [x, w] : {std::pair{std::vector<double>{0, 0}, std::vector<double>{1, 1}},
                             std::pair{std::vector<double>{1, 1}, std::vector<double>{0, 0}},
                             std::pair{std::vector<double>{0, 0}, std::vector<double>{0, 0}}}) {
    EXPECT_EQ(budget(x, w).rate, 1.0);
    EXPECT_EQ(budget(x, w).active, 0u);
  }
}

TEST_P(MeshTargetInstructions, AscendAddsRateTimesFactor) {
  const Operand dp = bench->values("dp", {1, -2}), f = bench->real("f", 3), p = bench->values("p", {10, 10});
  Instruction ascend = instruction(Opcode::kAscend, 1, 2, 1, {dp, f}, {p});
  ascend.scale = 0.5;
  ASSERT_TRUE(bench->run(ascend, {.lr = 0.25}).ok());
  EXPECT_EQ(bench->read(p), (std::vector<double>{10.375, 9.25}));
}

}  // namespace
}  // namespace weft::test
