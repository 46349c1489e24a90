// Modes that come to the same: by definition bit for bit, by another order of sums within rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

void expect_close(const std::vector<Numbers>& seen, const std::vector<Numbers>& wanted, const std::string& what) {
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) {
    double largest = 0.0;
    for (const double value : wanted[leaf]) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < wanted[leaf].size(); ++i)
      ASSERT_NEAR(seen[leaf][i], wanted[leaf][i], kSameTraining * largest)
          << what << " leaf " << leaf + 1 << " element " << i;
  }
}

Mode on(Schedule schedule, Rule rule) { return {schedule, rule}; }

class Equivalence : public testing::TestWithParam<int> {
 protected:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Equivalence, testing::Range(0, 6));

TEST_P(Equivalence, TweenChainIsBackpropOnStackAndLine) {
  for (const char* device : {"cpu", "native_cpu"}) {
    for (const Schedule schedule : {Schedule::kStack, Schedule::kLine}) {
      const TestModel model = random_stack(seed());
      Trainer chain_rule(model, {.device = device}), bp(model, {.device = device});
      const auto before = bp.weights();
      for (std::uint64_t call = 0; call < 8; ++call) {
        const double loss = chain_rule.train(on(schedule, Rule::kTweenChain), call).loss;
        EXPECT_EQ(loss, bp.train(on(schedule, Rule::kBP), call).loss);
      }
      EXPECT_EQ(chain_rule.weights(), bp.weights());
      EXPECT_NE(bp.weights(), before);
    }
  }
}

TEST_P(Equivalence, ALineOfOneOpIsAStack) {
  const ModelOptions plain{.composites = false};
  const TestModel drawn = random_stack(seed(), plain);
  const Op first = std::get<Stack>(drawn.root).ops.front();
  const TestModel one_leaf{Stack{first}, drawn.input, {1, first.get_if<Dense>()->out}, 1};
  for (int rule = 0; rule < kRuleCount; ++rule) {
    Trainer line(one_leaf), stack(one_leaf);
    for (std::uint64_t call = 0; call < kManyCalls; ++call) {
      const TrainResult result = line.train(on(Schedule::kLine, static_cast<Rule>(rule)), call);
      EXPECT_FALSE(result.filling);
      EXPECT_EQ(result.loss, stack.train(on(Schedule::kStack, static_cast<Rule>(rule)), call).loss);
    }
    EXPECT_EQ(line.weights(), stack.weights()) << to_string(static_cast<Rule>(rule));
  }
}

/// A line that is flushed after each sample has one sample in it at a time.
TEST_P(Equivalence, AFlushedLineIsAStackForEveryRule) {
  const TestModel model = random_stack(seed());
  for (int rule = 0; rule < kRuleCount; ++rule) {
    Trainer line(model), stack(model);
    for (std::uint64_t call = 0; call < kManyCalls; ++call) {
      line.train(on(Schedule::kLine, static_cast<Rule>(rule)), call);
      line.session().flush().value();
      stack.train(on(Schedule::kStack, static_cast<Rule>(rule)), call);
    }
    EXPECT_EQ(line.weights(), stack.weights()) << to_string(static_cast<Rule>(rule));
  }
}

/// Children with rules of their own: the line trains the popped sample's tape as the stack does.
TEST_P(Equivalence, AFlushedLineIsAStackWhereChildrenHaveModes) {
  TestModel model = random_stack(seed());
  auto& root = std::get<Stack>(model.root);
  Random random(seed(), 5);
  for (std::size_t i = 0; i < root.ops.size(); ++i)
    root.child_modes.emplace_back(Mode{Schedule::kStack, static_cast<Rule>(random.below(kRuleCount))});
  Trainer line(model), stack(model);
  for (std::uint64_t call = 0; call < kManyCalls; ++call) {
    line.train(on(Schedule::kLine, Rule::kBP), call);
    line.session().flush().value();
    stack.train(on(Schedule::kStack, Rule::kBP), call);
  }
  EXPECT_EQ(line.weights(), stack.weights());
}

/// The grid of a chain, with ticks to spare, trains as the stack under every rule but the mesh's own two.
TEST_P(Equivalence, ASettledMeshIsAStack) {
  const TestModel drawn = random_stack(seed(), {.composites = false});
  const TestModel stack_model = chain(Schedule::kStack, std::get<Stack>(drawn.root).ops);
  TestModel grid_model = chain(Schedule::kMesh, std::get<Stack>(drawn.root).ops);
  grid_model.ticks += static_cast<int>(seed() % 3);
  for (int rule = 0; rule < kRuleCount; ++rule) {
    if (static_cast<Rule>(rule) == Rule::kTween || static_cast<Rule>(rule) == Rule::kTweenChain) continue;
    Trainer mesh(grid_model), stack(stack_model);
    for (std::uint64_t call = 0; call < 6; ++call) {
      const double loss = mesh.train(on(Schedule::kMesh, static_cast<Rule>(rule)), call).loss;
      EXPECT_NEAR(loss, stack.train(on(Schedule::kStack, static_cast<Rule>(rule)), call).loss, kSameTraining * loss);
    }
    expect_close(mesh.weights(), stack.weights(), std::string(to_string(static_cast<Rule>(rule))));
  }
}

TEST_P(Equivalence, AltIsSplitThenTweenByHand) {
  const TestModel model = random_stack(seed());
  for (const int times : {1, 2}) {
    Trainer alt(model), line(model), by_hand(model);
    std::vector<double> wanted;
    for (std::uint64_t sample = 0; sample < 5; ++sample) {
      for (int i = 0; i < times; ++i) {
        by_hand.train(on(Schedule::kStack, Rule::kSplit), sample);
        wanted.resize(sample);
        wanted.push_back(by_hand.train(on(Schedule::kStack, Rule::kTween), sample).loss);
      }
      EXPECT_EQ(alt.train(on(Schedule::kStack, Rule::kAlt), sample, 0.05, 3, times).loss, wanted.back());
    }
    EXPECT_EQ(alt.weights(), by_hand.weights());

    // On the line every popped sample passes the whole chain again: the stack's rounds in the samples' order.
    std::vector<double> losses;
    for (std::uint64_t sample = 0; sample < 5; ++sample) {
      const TrainResult result = line.train(on(Schedule::kLine, Rule::kAlt), sample, 0.05, 3, times);
      if (!result.filling) losses.push_back(result.loss);
    }
    for (const TrainResult& result : line.session().flush().value()) losses.push_back(result.loss);
    EXPECT_EQ(losses, wanted);
    EXPECT_EQ(line.weights(), by_hand.weights());
  }
}

/// The mesh has no mode for the Tween round; U(P(g), lr/2) is Split's U(P(g)/N, lr N/2).
TEST_P(Equivalence, AltOnTheMeshIsTwoRoundsByHand) {
  const TestModel model = random_grid(seed(), {.links = false, .feeds_itself = seed() % 2 == 1});
  Trainer alt(model), by_hand(model);
  const auto n = static_cast<double>(by_hand.weights().size());
  for (std::uint64_t sample = 0; sample < 4; ++sample) {
    by_hand.train(on(Schedule::kMesh, Rule::kSplit), sample, 0.05);
    const double loss = by_hand.train(on(Schedule::kMesh, Rule::kSplit), sample, 0.05 * n / 2.0).loss;
    EXPECT_NEAR(alt.train(on(Schedule::kMesh, Rule::kAlt), sample, 0.05).loss, loss, kSameTraining * loss);
  }
  expect_close(alt.weights(), by_hand.weights(), "MeshTweenAlt");
}

}  // namespace
}  // namespace weft::test
