// Tween, Split and Alt by hand: projection, the skip of leaves that are not finite, ReLU at 0.
#include "tests/unit/credit/hand.h"

namespace weft::test {
namespace {

WEFT_BY_HAND(TweenByHand);

TEST_P(TweenByHand, ProjectsTheFlattenedGapDownToANarrowerLeaf) {
  // y1 = x W1 with W1 = 0, so y2 = 0 and g = 2 (0 - t) / 6.
  auto trainer = this->trainer(stack_of({layer(1, 2, {0, 0}), layer(2, 3, {1, 1, 1, 1, 1, 1})}));
  const Numbers t{-3, -6, -9, 3, 6, 12};
  trainer.train({Schedule::kStack, Rule::kTween}, tensor({2, 1}, {1, 10}), tensor({2, 3}, t), 0.2);
  // g = 1 2 3 -1 -2 -4; six elements to four: [0,1) [1,3) [3,4) [4,6) = 1, 2.5, -1, -3.
  // dW1[o] = sum over the batch of g[b,o] x[b] = 1 - 10, 2.5 - 30; rate 0.2/2. The head's x is 0: it stays.
  expect_weights(trainer, {{0.9, 2.75}, {1, 1, 1, 1, 1, 1}});
}

TEST_P(TweenByHand, ProjectsUpToAWiderLeaf) {
  auto trainer = this->trainer(stack_of({layer(1, 5, {0, 0, 0, 0, 0}), layer(5, 2, Numbers(10, 1.0))}));
  trainer.train({Schedule::kStack, Rule::kTween}, tensor({1, 1}, {1}), tensor({1, 2}, {-1, -2}), 0.2);
  // g = 1 2; element i of five is g[i*2/5]: 0 0 0 1 1.
  expect_weights(trainer, {{-0.1, -0.1, -0.1, -0.2, -0.2}, Numbers(10, 1.0)});
}

TEST_P(TweenByHand, SplitDividesByTheNumberOfLeaves) {
  auto trainer = this->trainer(stack_of({layer(1, 1, {2}), layer(1, 1, {3}), layer(1, 1, {1})}));
  trainer.train({Schedule::kStack, Rule::kSplit}, tensor({1, 1}, {1}), tensor({1, 1}, {3}), 0.01);
  // y = 2, 6, 6; g = 6; each leaf gets g/3 = 2 times its x = 1, 2, 6.
  expect_weights(trainer, {{2 - 0.02}, {3 - 0.04}, {1 - 0.12}});
}

/// Two leaves under cross-entropy whose second logit is -inf: the loss stays finite.
class TweenSkip : public TweenByHand {
 protected:
  TestModel model() const {
    const double large = dtype() == DType::kFloat32 ? 1e25 : 1e200;
    return stack_of({layer(1, 2, {large, 1}), layer(2, 2, {1, 0, -large, 0})});
  }
  // softmax = 1, 0; t = 0.5, 0.5; g = 0.5, -0.5. The first weight is too large to move.
  double second_weight_after(Rule rule, double& head) const {
    auto trainer = this->trainer(model(), Loss::kCrossEntropy);
    const TrainResult result =
        trainer.train({Schedule::kStack, rule}, tensor({1, 1}, {1}), tensor({1, 2}, {0.5, 0.5}), 0.5);
    EXPECT_TRUE(result.finite);
    EXPECT_NEAR(result.loss, -0.5 * std::log(1e-12), 1e-5);
    const auto weights = trainer.weights();
    head = weights[1][1];
    return weights[0][1];
  }
};
INSTANTIATE_TEST_SUITE_P(Places, TweenSkip,
                         testing::Values(Place{"cpu", DType::kFloat32}, Place{"cpu", DType::kFloat64},
                                         Place{"native_cpu", DType::kFloat32}));

TEST_P(TweenSkip, PassesALeafWithANonFiniteOutputBy) {
  double head = 0.0;
  EXPECT_NEAR(second_weight_after(Rule::kTween, head), 1 + 0.5 * 0.25, allowed(1));
  EXPECT_EQ(head, 0.0);
}

TEST_P(TweenSkip, IsNotDoneBySplit) {
  double head = 0.0;
  EXPECT_NEAR(second_weight_after(Rule::kSplit, head), 1 + 0.25 * 0.5, allowed(1));
  EXPECT_NEAR(head, -0.25 * 0.5, allowed(1));  // g/2 = 0.25 times x2[1] = 1
}

TEST_P(TweenSkip, IsDoneInBothRoundsOfAlt) {
  double head = 0.0;
  EXPECT_NEAR(second_weight_after(Rule::kAlt, head), 1 + 2 * 0.125, allowed(1));
  EXPECT_EQ(head, 0.0);
}

TEST_P(TweenByHand, SkipsAHiddenLeafThatOverflows) {
  const double large = dtype() == DType::kFloat32 ? 1e25 : 1e200;
  // y1 = large, y2 = +inf, y3 = relu(-inf) = 0, y4 = 0 + bias.
  auto trainer = this->trainer(stack_of({layer(1, 1, {large}, linear, {0}), layer(1, 1, {large}, linear, {2}),
                                         layer(1, 1, {-1}, relu), layer(1, 1, {1}, linear, {0.25})}));
  const TrainResult result =
      trainer.train({Schedule::kStack, Rule::kTween}, tensor({1, 1}, {1}), tensor({1, 1}, {1.25}), 0.1);
  EXPECT_TRUE(result.finite);
  const auto weights = trainer.weights();
  EXPECT_NEAR(weights[0][1], 0.1, allowed(1));  // g = -2 at half the rate
  EXPECT_EQ(weights[1][1], 2.0);                // skipped
  EXPECT_NEAR(weights[3][1], 0.35, allowed(1));
}

TEST_P(TweenByHand, ReluAtZeroHasNoSlopeAndLeakyReluHasItsSmallOne) {
  for (const Rule rule : {Rule::kBP, Rule::kTween, Rule::kSplit, Rule::kHeadProxy, Rule::kLinear, Rule::kFastProxy,
                          Rule::kLinearCache, Rule::kHeadProxyAsync, Rule::kSparse}) {
    for (const Activation activation : {relu, relu2, leakyrelu}) {
      auto trainer = this->trainer(stack_of({layer(1, 1, {0}, activation, {0}), layer(1, 1, {1}, linear, {1})}));
      trainer.train({Schedule::kStack, rule}, tensor({1, 1}, {1}), tensor({1, 1}, {0}), 0.1);
      const auto weights = trainer.weights();
      if (activation == leakyrelu) {
        EXPECT_LT(weights[0][0], 0.0) << to_string(rule);
        EXPECT_GT(weights[0][0], -0.0021) << to_string(rule);
      } else {
        EXPECT_EQ(weights[0], (Numbers{0, 0})) << to_string(rule) << ' ' << to_string(activation);
      }
      EXPECT_LT(weights[1][1], 1.0) << to_string(rule);
    }
  }
}

}  // namespace
}  // namespace weft::test
