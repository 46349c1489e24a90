// Optimizers through a session, by hand: two steps of each, and step counters that count a leaf's own updates.
#include "tests/unit/credit/hand.h"

namespace weft::test {
namespace {

WEFT_BY_HAND(OptimizerByHand);

constexpr Mode kNormal{Schedule::kStack, Rule::kBP};
constexpr double kRate = 0.1;

TEST_P(OptimizerByHand, MomentumAndNesterov) {
  for (const Optimizer& optimizer : {momentum(0.5), nesterov(0.5)}) {
    auto trainer = this->trainer(stack_of({layer(1, 1, {2})}), Loss::kMse, optimizer);
    double w = 2.0, v = 0.0;
    for (int step = 0; step < 3; ++step) {
      trainer.train(kNormal, tensor({1, 1}, {1}), tensor({1, 1}, {0.5}), kRate);
      const double g = 2 * (w - 0.5);
      v = 0.5 * v + g;
      w -= kRate * (optimizer.kind == OptimizerKind::kNesterov ? g + 0.5 * v : v);
      expect_weights(trainer, {{w}});
    }
  }
}

TEST_P(OptimizerByHand, AdamWDecaysBesideAndCorrectsItsMeans) {
  const Optimizer optimizer = adamw(0.1);
  auto trainer = this->trainer(stack_of({layer(1, 1, {2}, linear, {1})}), Loss::kMse, optimizer);
  Numbers p{2, 1}, mean(2), square(2);
  for (int step = 1; step <= 3; ++step) {
    const double x = 0.5 * step;
    trainer.train(kNormal, tensor({1, 1}, {x}), tensor({1, 1}, {0.5}), kRate);
    const double gap = 2 * (p[0] * x + p[1] - 0.5);
    for (std::size_t i = 0; i < 2; ++i) {
      const double g = i == 0 ? gap * x : gap;
      mean[i] = 0.9 * mean[i] + 0.1 * g;
      square[i] = 0.999 * square[i] + 0.001 * g * g;
      const double m = mean[i] / (1 - std::pow(0.9, step)), s = square[i] / (1 - std::pow(0.999, step));
      p[i] = p[i] * (1 - kRate * 0.1) - kRate * m / (std::sqrt(s) + 1e-8);
    }
    expect_weights(trainer, {p});
  }
}

TEST_P(OptimizerByHand, ClippingLimitsTheNormOfEachParametersGradient) {
  // The weight's gradient is (6, 8), of norm 10, and is cut to 5; the bias's is 2 and stays.
  Optimizer optimizer = sgd();
  optimizer.clip = 5.0;
  auto trainer = this->trainer(stack_of({layer(2, 1, {0, 0}, linear, {1})}), Loss::kMse, optimizer);
  trainer.train(kNormal, tensor({1, 2}, {3, 4}), tensor({1, 1}, {0}), kRate);
  expect_weights(trainer, {{-kRate * 3, -kRate * 4, 1 - kRate * 2}});
}

TEST_P(OptimizerByHand, ClippingComesBeforeMomentum) {
  Optimizer optimizer = momentum(0.5);
  optimizer.clip = 1.0;
  auto trainer = this->trainer(stack_of({layer(1, 1, {2})}), Loss::kMse, optimizer);
  for (int step = 0; step < 2; ++step) trainer.train(kNormal, tensor({1, 1}, {1}), tensor({1, 1}, {0}), kRate);
  expect_weights(trainer, {{2 - kRate * 1 - kRate * 1.5}});
}

TEST_P(OptimizerByHand, WeightDecayOfPlainSgd) {
  Optimizer optimizer = sgd();
  optimizer.weight_decay = 0.5;
  auto trainer = this->trainer(stack_of({layer(1, 1, {2})}), Loss::kMse, optimizer);
  trainer.train(kNormal, tensor({1, 1}, {1}), tensor({1, 1}, {1}), kRate);
  expect_weights(trainer, {{2 * (1 - kRate * 0.5) - kRate * 2}});
}

TEST_P(OptimizerByHand, TweenStepsAtHalfTheRate) {
  auto trainer = this->trainer(stack_of({layer(1, 1, {2})}), Loss::kMse, adamw(0.0));
  trainer.train({Schedule::kStack, Rule::kTween}, tensor({1, 1}, {1}), tensor({1, 1}, {0.5}), kRate);
  expect_weights(trainer, {{2 - kRate / 2 * 3 / (3 + 1e-8)}});  // Adam's first step: g / (|g| + epsilon) with g = 3
}

TEST_P(OptimizerByHand, StepsCountALeafsOwnUpdates) {
  auto trainer =
      this->trainer(stack_of({layer(1, 1, {1}), layer(1, 1, {1}), layer(1, 1, {2})}), Loss::kMse, adamw(0.0));
  const auto steps = [&](int leaf) {
    return std::get<std::vector<std::uint64_t>>(trainer.memory().at("leaf." + std::to_string(leaf) + ".step")).front();
  };
  for (int call = 0; call < 3; ++call) {
    const auto before = trainer.weights();
    trainer.train({Schedule::kStack, Rule::kSparse}, tensor({1, 1}, {1}), tensor({1, 1}, {0}), 0.01);
    // Leaf 2 first moves on call 1: were its counter the session's, its means would be corrected for two steps.
    if (call == 1) {
      const double gap = 2 * before[0][0] * before[2][0], g = gap * before[2][0] * before[0][0];
      EXPECT_NEAR(trainer.weights()[1][0], before[1][0] - 0.01 * g / (g + 1e-8), allowed(1));
    }
  }
  EXPECT_EQ(steps(1), 2U);
  EXPECT_EQ(steps(2), 1U);
  EXPECT_EQ(steps(3), 3U);
}

}  // namespace
}  // namespace weft::test
