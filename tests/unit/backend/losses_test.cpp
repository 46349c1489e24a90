// loss_gap, rms and is_finite by hand-computed values.
#include "tests/unit/backend/device_test.h"

#include <limits>

namespace weft::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class LossInstructions : public DeviceTest {
 protected:
  struct Taken {
    double loss;
    std::uint64_t finite;
    std::vector<double> gap;
  };
  Taken taken(Loss loss, std::int64_t m, std::int64_t n, const std::vector<double>& p, const std::vector<double>& t) {
    bench->program().loss = loss;
    const Operand at = bench->values("p", p), target = bench->values("t", t), gap = bench->values("gap", p);
    const Operand value = bench->real("loss", -1), finite = bench->counter("finite", 7);
    EXPECT_TRUE(bench->run(instruction(Opcode::kLossGap, m, n, 1, {at, target}, {gap, value, finite})).ok());
    return {bench->read_real(value), bench->read_counter(finite), bench->read(gap)};
  }
};
WEFT_ON_EVERY_DEVICE(LossInstructions);

TEST_P(LossInstructions, MeanSquaredError) {
  const Taken result = taken(Loss::kMse, 2, 2, {1, 2, 3, 4}, {0, 2, 5, 4});
  expect_close({result.loss}, {1.25});
  EXPECT_EQ(result.gap, (std::vector<double>{0.5, 0, -1, 0}));
  EXPECT_EQ(result.finite, 1u);
}

TEST_P(LossInstructions, CrossEntropyOnLogits) {
  const double third = std::log(3.0);
  const Taken result = taken(Loss::kCrossEntropy, 2, 2, {0, third, 1000, 1000}, {0, 1, 0.5, 0.5});
  expect_close({result.loss}, {(-std::log(0.75) + std::log(2.0)) / 2});
  expect_close(result.gap, {0.125, -0.125, 0, 0});
  EXPECT_EQ(result.finite, 1u);
}

TEST_P(LossInstructions, CrossEntropyOfAnImpossibleTargetIsCapped) {
  const Taken result = taken(Loss::kCrossEntropy, 1, 2, {0, 500}, {1, 0});
  expect_close({result.loss}, {-std::log(1e-12)});
  expect_close(result.gap, {-1, 1});
}

TEST_P(LossInstructions, AreFlaggedWhereNotFinite) {
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    EXPECT_EQ(taken(Loss::kMse, 1, 2, {bad, 1}, {0, 0}).finite, 0u);
    EXPECT_EQ(taken(Loss::kMse, 1, 2, {1, bad}, {0, 0}).finite, 0u);
  }
  EXPECT_EQ(taken(Loss::kCrossEntropy, 1, 2, {std::nan(""), 1}, {0, 1}).finite, 0u);
  EXPECT_EQ(taken(Loss::kCrossEntropy, 1, 2, {1, std::nan("")}, {1, 0}).finite, 0u);
  EXPECT_EQ(taken(Loss::kCrossEntropy, 1, 2, {kInfinity, 1}, {1, 0}).finite, 0u);
}

TEST_P(LossInstructions, WorkWithoutAGap) {
  for (const Loss loss : {Loss::kMse, Loss::kCrossEntropy}) {
    bench->program().loss = loss;
    const Operand p = bench->values("p", {0, 0}), t = bench->values("t", {0, 1});
    const Operand value = bench->real("loss", -1), finite = bench->counter("finite", 7);
    ASSERT_TRUE(bench->run(instruction(Opcode::kLossGap, 1, 2, 1, {p, t}, {Operand{}, value, finite})).ok());
    expect_close({bench->read_real(value)}, {loss == Loss::kMse ? 0.5 : std::log(2.0)});
  }
}

TEST_P(LossInstructions, RootMeanSquare) {
  const Operand x = bench->values("x", {3, -4, 0, 0, 0, 0, 0, 0, 0, 0}), r = bench->real("r", 9);
  ASSERT_TRUE(bench->run(instruction(Opcode::kRms, 2, 5, 1, {x}, {r})).ok());
  expect_close({bench->read_real(r)}, {std::sqrt(2.5)});
}

TEST_P(LossInstructions, ClipScalesALargerNormToTheLimit) {
  const Operand r = bench->real("r", 9);
  for (const auto& [limit, wanted] : {std::pair(2.0, 0.4), std::pair(5.0, 1.0), std::pair(7.0, 1.0)}) {
    Instruction clip = instruction(Opcode::kClip, 2, 2, 1, {bench->values("x", {3, 0, 0, -4})}, {r});
    clip.scale = limit;
    ASSERT_TRUE(bench->run(clip).ok());
    expect_close({bench->read_real(r)}, {wanted});
  }
}

TEST_P(LossInstructions, ClipLeavesZerosAlone) {
  const Operand x = bench->values("x", {0, 0}), r = bench->real("r", 9);
  ASSERT_TRUE(bench->run(instruction(Opcode::kClip, 1, 2, 1, {x}, {r})).ok());
  EXPECT_EQ(bench->read_real(r), 1.0);
}

TEST_P(LossInstructions, IsFiniteSeesEveryElement) {
  const Operand flag = bench->counter("flag", 7);
  for (std::size_t bad = 0; bad < 11; ++bad) {
    for (const double value : {1e30, std::nan(""), kInfinity, -kInfinity}) {
      std::vector<double> values(11, 3e38);
      values[bad] = value;
      const Operand x = bench->values("x", values);
      ASSERT_TRUE(bench->run(instruction(Opcode::kIsFinite, 1, 11, 1, {x}, {flag})).ok());
      EXPECT_EQ(bench->read_counter(flag), std::isfinite(value) ? 1u : 0u) << value << " at " << bad;
    }
  }
}

}  // namespace
}  // namespace weft::test
