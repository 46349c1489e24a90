// The mesh by hand: target propagation's budgets and denominators, and a disabled cell that has a link.
#include "tests/unit/credit/hand.h"

namespace weft::test {
namespace {

WEFT_BY_HAND(MeshByHand);

constexpr Mode kTween{Schedule::kMesh, Rule::kTween};
constexpr Mode kChain{Schedule::kMesh, Rule::kTweenChain};

TEST_P(MeshByHand, ACellOnALowBudgetIsSkippedAndStillPassesItsTargetOn) {
  // a1 = 0.5, a2 = 0.5 - 2 = -1.5, target 1: the last cell's cosine is -1, its budget 0.
  auto trainer = this->trainer(grid_of({layer(1, 1, {0.5}), layer(1, 1, {1}, linear, {-2})}));
  trainer.train(kTween, tensor({1, 1}, {1}), tensor({1, 1}, {1}), 0.2);
  // Its target below is 1*1/|1| = 1; the first cell's cosine is 1, its rate lr: 0.1 * 0.2 * (1 - 0.5) * 1.
  expect_weights(trainer, {{0.51}, {1, -2}});
}

TEST_P(MeshByHand, ChainSkipsTheSameCellAndPassesItsGradientOn) {
  auto trainer = this->trainer(grid_of({layer(1, 1, {0.5}), layer(1, 1, {1}, linear, {-2})}));
  trainer.train(kChain, tensor({1, 1}, {1}), tensor({1, 1}, {1}), 0.2);
  // The gradient is 1 + 1.5 at both cells; the first cell's target 0.5 + 0.25 has cosine 1: 0.1 * 0.2 * 2.5.
  expect_weights(trainer, {{0.55}, {1, -2}});
}

TEST_P(MeshByHand, TheBudgetsLimitIsAFifth) {
  for (const double cosine : {-0.61, -0.59}) {
    auto trainer = this->trainer(grid_of({layer(1, 2, {1, 0}, linear, {0, 0})}));
    const double sine = std::sqrt(1.0 - cosine * cosine), budget = (cosine + 1.0) / 2.0;
    trainer.train(kTween, tensor({1, 1}, {1}), tensor({1, 2}, {cosine, sine}), 1.0);
    const double rate = budget < 0.2 ? 0.0 : 0.1 * (0.5 + 0.5 * budget);
    expect_weights(trainer, {{1 + rate * (cosine - 1), rate * sine, rate * (cosine - 1), rate * sine}});
  }
}

TEST_P(MeshByHand, ATargetBelowWeightsThatSumToAHundredthIsZero) {
  for (const double w : {0.01, -0.01, 0.011, -0.011}) {
    // Two outputs so that the sum is over absolute values: w and 0.
    auto trainer = this->trainer(grid_of({layer(1, 1, {1}), layer(1, 2, {w, 0}, linear, {1, 1})}));
    trainer.train(kTween, tensor({1, 1}, {1}), tensor({1, 2}, {3, 2}), 0.2);
    // Target below: 3 w / |w| = 3 or -3; zero gives a budget of zero, and so does -3 against a1 = 1.
    const bool moves = w == 0.011;
    EXPECT_NEAR(trainer.weights()[0][0], moves ? 1 + 0.1 * 0.2 * 2 : 1.0, allowed(1)) << w;
  }
}

TEST_P(MeshByHand, TweenTakesTheMeanOverTheBatchAndChainTheSum) {
  for (const Mode mode : {kTween, kChain}) {
    auto trainer = this->trainer(grid_of({layer(1, 1, {1}, linear, {0})}));
    trainer.train(mode, tensor({2, 1}, {1, 2}), tensor({2, 1}, {2, 4}), 0.5);
    // a1 = 1, 2 along the target: rate lr. Differences 1 and 2, times x = 1, 2.
    const double share = mode == kTween ? 0.5 : 1.0;
    expect_weights(trainer, {{1 + 0.1 * 0.5 * share * 5, 0.1 * 0.5 * share * 3}});
  }
}

TEST_P(MeshByHand, TweenPassesActivationsBelowOtherOpsAndMovesDenseCellsOnly) {
  auto model = grid_of({layer(1, 1, {0.5}), layer(1, 1, {2})});
  auto& grid = std::get<Grid>(model.root);
  grid.cells[2].op = stack({layer(1, 1, {2})});  // a stack is not a Dense cell
  auto trainer = this->trainer(model);
  trainer.train(kTween, tensor({1, 1}, {1}), tensor({1, 1}, {3}), 0.2);
  expect_weights(trainer, {{0.5}, {2}});  // below it the target is the activation itself: no difference
  trainer.train(kChain, tensor({1, 1}, {1}), tensor({1, 1}, {3}), 0.2);
  // Chain takes any op: gradient 2, at the first cell 2 * 2.
  expect_weights(trainer, {{0.5 + 0.1 * 0.2 * 4}, {2 + 0.1 * 0.2 * 2 * 0.5}});
}

TEST_P(MeshByHand, ADisabledCellsLinkIsIgnored) {
  for (const Mode mode : modes_of(Schedule::kMesh)) {
    const auto weights_with = [&](std::optional<std::int64_t> link) {
      Grid grid(4, 1, 1, 1);
      grid.cells[0].disabled = true;
      grid.cells[1].op = layer(2, 2, {0.5, 0.2, -0.3, 0.4}, weft::tanh);
      grid.cells[2].disabled = true;
      grid.cells[2].remote_link = link;
      grid.cells[3].op = layer(2, 2, {0.3, -0.1, 0.2, 0.6});
      auto trainer = this->trainer({grid, {1, 2}, {1, 2}, 5});
      for (int call = 0; call < 3; ++call)
        trainer.train(mode, tensor({1, 2}, {1, 0.5}), tensor({1, 2}, {0.5, 0.25}), 0.1);
      return trainer.weights();
    };
    const auto plain = weights_with(std::nullopt);
    for (std::int64_t link : {0, 2, 3}) EXPECT_EQ(weights_with(link), plain) << to_string(mode) << " link " << link;
  }
}

}  // namespace
}  // namespace weft::test
