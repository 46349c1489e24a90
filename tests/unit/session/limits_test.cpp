// What a careless or hostile caller may hand over: refused with a message, nothing changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

Stack small() {
  Stack model{dense(4, 3, tanh), dense(3, 2)};
  model.initialise().value();
  return model;
}

std::string mount_error(Stack model, const MountOptions& options = {.device = "cpu"}) {
  static_cast<void>(model.initialise());
  const auto session = mount(model, options);
  return session.ok() ? "" : session.status().message();
}

TEST(MountLimits, NestingIsBounded) {
  Stack model{dense(2, 2)};
  for (int i = 0; i < 200; ++i) model = stack({std::move(model)});
  EXPECT_THAT(mount_error(std::move(model)), HasSubstr("nested deeper than 64 ops"));
}

TEST(MountLimits, NumbersThatAreNoEnumeratorsAreNamed) {
  EXPECT_THAT(mount_error(small(), {.device = "cpu", .loss = static_cast<Loss>(9)}), HasSubstr("loss is number 9"));
  EXPECT_THAT(mount_error(small(), {.device = "cpu", .optimizer = {.kind = static_cast<OptimizerKind>(9)}}),
              HasSubstr("optimizer kind is 9"));
  EXPECT_THAT(mount_error(stack({dense(4, 3, static_cast<Activation>(55))})), HasSubstr("activation is number 55"));
  EXPECT_THAT(mount_error(stack({parallel(static_cast<Combine>(7), {dense(4, 3)})})), HasSubstr("combine is number 7"));
  Stack model = small();
  Session session = mount(model, {.device = "cpu"}).value();
  const Mode odd{.schedule = Schedule::kStack, .rule = static_cast<Rule>(11)};
  const auto result = session.train(random_tensor({1, 4}, 2, 1), random_tensor({1, 2}, 2, 2), {.mode = odd});
  EXPECT_THAT(result.status().message(), HasSubstr("rule number 11"));
}

TEST(MountLimits, WidthsAreCheckedWhereTheModelTellsThem) {
  EXPECT_THAT(mount_error(stack({parallel(Combine::kAdd, {dense(4, 3), dense(5, 3)})})), HasSubstr("4 features"));
  EXPECT_THAT(mount_error(stack({filter({dense(4, 3), dense(4, 3)}, dense(5, 2))})), HasSubstr("4 features"));
  EXPECT_THAT(mount_error(stack({flatten(), residual({dense(4, 3)})})), HasSubstr("turns 4 features into 3"));
  EXPECT_EQ(mount_error(stack({flatten(), residual({dense(4, 4)})})), "");
}

TEST(FitLimits, LabelsAreChecked) {
  Stack model = small();
  Session session = mount(model, {.device = "cpu"}).value();
  data::Samples samples{random_tensor({1, 4}, 6, 1), random_tensor({1, 2}, 6, 2), {0, 1, 0}};
  EXPECT_THAT(session.fit(samples, {.batch = 2}).status().message(), HasSubstr("3 labels for 6 samples"));
  samples.labels = {0, 1, 0, 1, 7, 0};
  EXPECT_THAT(session.evaluate(samples).status().message(), HasSubstr("label of sample 4 is 7, wanted 0 to 1"));
}

TEST(RestoreLimits, ArraysOfAnotherSizeAndStatesOfAnotherSessionAreRefused) {
  Stack model = small();
  Session session = mount(model, {.device = "cpu"}).value();
  const TrainOptions options{.mode = "TweenSplitHeadProxyAsync"};
  session.train(random_tensor({1, 4}, 2, 1), random_tensor({1, 2}, 2, 2), options).value();
  const State good = session.save_state().value();
  const std::string proxy = "rule.TweenSplitHeadProxyAsync.proxy";
  for (const std::size_t size : {1u, 3u, 100u}) {
    State bad = good;
    bad.arrays.at(proxy) = std::vector<float>(size, 1.0f);
    EXPECT_THAT(session.restore_state(bad).message(), HasSubstr("'" + proxy + "' has " + std::to_string(size)));
  }
  EXPECT_TRUE(session.restore_state(good).ok());
  Session other = mount(model, {.device = "cpu", .loss = cross_entropy}).value();
  EXPECT_THAT(other.restore_state(good).message(), HasSubstr("'loss' is 'mse', the session has 'ce'"));
}

/// Cell 0 has a remote link to the last cell, so it runs at some ticks only; the last cell passes on.
TEST(MeshLimits, AltTakesItsLossAlsoWhereNoLeafRunsInTheLastTick) {
  Grid grid(2, 1, 1, 1);
  grid.cells[0].op = dense(4, 4, tanh);
  grid.cells[0].remote_link = 1;
  grid.cells[1].disabled = true;
  grid.initialise().value();
  const Tensor input = random_tensor({1, 4}, 2, 1), target = random_tensor({1, 4}, 2, 2);
  const auto loss = [&](const char* mode) {
    return mount(grid, {.device = "cpu"}).value().train(input, target, {.mode = mode, .ticks = 3}).value();
  };
  EXPECT_FALSE(loss("MeshTweenAlt").filling);
  EXPECT_GT(loss("MeshTweenAlt").loss, 0.0);
  EXPECT_EQ(loss("MeshTweenAlt").loss, loss("MeshTweenSplit").loss);
}

}  // namespace
}  // namespace weft::test
