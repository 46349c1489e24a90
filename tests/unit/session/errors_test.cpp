// What a session refuses, in which words; and that nothing has changed after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Dense named(std::int64_t in, std::int64_t out, const std::string& name, std::uint64_t seed) {
  return dense(in, out, tanh, {.name = name, .weight = random_tensor({out, in}, out, seed)});
}

Stack small_stack() { return {named(4, 3, "fc1", 1), named(3, 2, "fc2", 2)}; }

/// A session that has met errors trains as one that has not.
class SessionErrors : public testing::Test {
 protected:
  void TearDown() override {
    for (const Mode mode : {Mode{Schedule::kStack, Rule::kLinearCache}, Mode{Schedule::kLine, Rule::kSparse}}) {
      for (std::uint64_t call = 0; call < 4; ++call)
        EXPECT_EQ(trainer_.train(mode, call).loss, untouched_.train(mode, call).loss);
      ASSERT_TRUE(trainer_.session().flush().ok() && untouched_.session().flush().ok());
    }
    EXPECT_EQ(trainer_.weights(), untouched_.weights());
  }

  Status train(const Tensor& input, const Tensor& target, const TrainOptions& options = {}) {
    return trainer_.session().train(input, target, options).status();
  }
  static void expect(const Status& status, StatusCode code, const std::vector<std::string>& words) {
    EXPECT_EQ(status.code(), code) << status.message();
    for (const std::string& word : words) EXPECT_THAT(status.message(), HasSubstr(word));
  }
  static Tensor ones(std::int64_t rows, std::int64_t columns) {
    return Tensor({rows, columns}, std::vector<float>(static_cast<std::size_t>(rows * columns), 1.0F));
  }

  TestModel model_{small_stack(), {1, 4}, {1, 2}, 1};
  Trainer trainer_{model_, {.device = "native_cpu"}}, untouched_{model_, {.device = "native_cpu"}};
};

constexpr auto kInvalid = StatusCode::kInvalidArgument;

TEST_F(SessionErrors, Shapes) {
  expect(train(ones(3, 5), ones(3, 2)), kInvalid, {"train: ", "dense 'fc1'", "[3, 5]", "4 features"});
  expect(train(ones(3, 4), ones(3, 3)), kInvalid, {"train: ", "target", "[3, 3]", "wanted [3, 2]"});
  expect(train(ones(3, 4), ones(2, 2)), kInvalid, {"train: ", "target", "[2, 2]", "wanted [3, 2]"});
  expect(train(Tensor({0, 4}, std::vector<float>()), ones(3, 2)), kInvalid, {"train: input", "axis 0 is 0"});
  expect(train(Tensor({4}, std::vector<float>(4)), ones(1, 2)), kInvalid, {"train: input", "[4]", "[batch, features]"});
  expect(train(ones(3, 4), Tensor({6}, std::vector<float>(6))), kInvalid,
         {"train: target", "[6]", "[batch, features]"});
  expect(train(Tensor({3, 4}, std::vector<float>(11)), ones(3, 2)), kInvalid, {"train: input", "11 values, wanted 12"});
  expect(train(Tensor(), ones(3, 2)), kInvalid, {"train: input"});
  expect(trainer_.session().forward(ones(3, 5)).status(), kInvalid, {"forward: ", "dense 'fc1'", "[3, 5]"});
  const data::Samples samples{ones(8, 4), ones(8, 3), {}};
  expect(trainer_.session().forward(ones(3, 4), {.ticks = 0}).status(), kInvalid, {"forward: ticks is 0"});
  expect(trainer_.session().evaluate(samples).status(), kInvalid, {"evaluate: ", "target", "[8, 3]", "wanted [8, 2]"});
  expect(trainer_.session().print_program({3, 5}, {3, 2}, {}).status(), kInvalid,
         {"print_program: ", "'fc1'", "[3, 5]"});
  expect(trainer_.session().print_program({}, {3, 2}, {}).status(), kInvalid,
         {"print_program: input", "[batch, features]"});
}

TEST_F(SessionErrors, ViewsOfShapesThatAreNotThere) {
  const float value = 0.0F;
  expect(train(Tensor::view({std::int64_t{1} << 40, 4}, std::span(&value, 1)), ones(1, 2)), kInvalid,
         {"train: input", "2^40"});
  expect(train(Tensor::view({std::int64_t{1} << 36, 4}, std::span(&value, 1)), ones(1, 2)), kInvalid,
         {"train: input", "1 values"});
  expect(train(Tensor::view({std::int64_t{1} << 62, std::int64_t{1} << 62}, std::span(&value, 1)), ones(1, 2)),
         kInvalid, {"train: input", "2^40"});
}

TEST_F(SessionErrors, Numbers) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    Tensor input = ones(3, 4), target = ones(3, 2);
    input.mutable_values<float>()[6] = static_cast<float>(bad);
    target.mutable_values<float>()[1] = static_cast<float>(bad);
    expect(train(input, ones(3, 2)), kInvalid, {"train: input", "sample 1, element 2", "finite"});
    expect(train(ones(3, 4), target), kInvalid, {"train: target", "sample 0, element 1", "finite"});
    expect(trainer_.session().forward(input).status(), kInvalid, {"forward: input", "sample 1, element 2"});
    expect(train(ones(3, 4), ones(3, 2), {.lr = bad}), kInvalid, {"train: lr", "finite"});
    const data::Samples samples{input, ones(3, 2), {}};
    expect(trainer_.session().fit(samples, {.batch = 3}).status(), kInvalid, {"fit: inputs", "sample 1, element 2"});
  }
  const Tensor doubles = ones(3, 4).to(DType::kFloat64);
  expect(train(doubles, ones(3, 2)), kInvalid, {"train: input", "float64", "float32"});
}

TEST_F(SessionErrors, Options) {
  expect(train(ones(3, 4), ones(3, 2), {.ticks = 0}), kInvalid, {"train: ticks is 0", "1 or more"});
  expect(train(ones(3, 4), ones(3, 2), {.alt_times = 0}), kInvalid, {"train: alt_times is 0", "1 or more"});
  expect(train(ones(3, 4), ones(3, 2), {.mode = "TweenAlt", .alt_times = 2'000'000'000}), kInvalid,
         {"alt_times is 2000000000"});
  expect(train(ones(3, 4), ones(3, 2), {.mode = "StepTweenSplitz"}), kInvalid, {"StepTweenSplitz", "StepTweenSplit"});
  expect(train(ones(3, 4), ones(3, 2), {.mode = "MeshTweenSplitLinear"}), kInvalid,
         {"MeshTweenSplitLinear", "mount a weft::Grid", "TweenSplitLinear", "StepTweenSplitLinear"});
  const data::Samples samples{ones(8, 4), ones(8, 2), {}};
  expect(trainer_.session().fit(samples, {.batch = 9}).status(), kInvalid, {"fit: batch is 9", "8 samples"});
  expect(trainer_.session().fit(samples, {.batch = 0}).status(), kInvalid, {"fit: batch is 0"});
  expect(trainer_.session().fit(samples, {.lr = kNan, .batch = 4}).status(), kInvalid, {"fit: lr"});
  const std::vector<std::int64_t> order{0, 8};
  expect(trainer_.session().fit(samples, {.batch = 1, .order = order}).status(), kInvalid,
         {"fit: order entry 1 is 8", "0 to 7"});
  expect(trainer_.session().fit({ones(8, 4), ones(7, 2), {}}, {.batch = 1}).status(), kInvalid,
         {"fit: ", "[8, 4]", "[7, 2]"});
  expect(trainer_.session().evaluate(samples, {.batch = 0}).status(), kInvalid, {"evaluate: batch is 0"});
  expect(trainer_.session().evaluate({ones(8, 4), ones(8, 2), {1, 0}}).status(), kInvalid,
         {"evaluate: 2 labels for 8"});
}

TEST_F(SessionErrors, SamplesInThePipe) {
  for (Trainer* each : {&trainer_, &untouched_}) each->train({Schedule::kLine, Rule::kBP}, 9);
  const auto kWrongMoment = StatusCode::kFailedPrecondition;
  expect(train(ones(3, 4), ones(3, 2), {.mode = "NormalBP"}), kWrongMoment,
         {"NormalBP", "1 samples of StepBP", "flush"});
  expect(train(ones(3, 4), ones(3, 2), {.mode = "StepTween"}), kWrongMoment, {"StepTween", "StepBP", "flush"});
  expect(train(ones(5, 4), ones(5, 2), {.mode = "StepBP"}), kWrongMoment, {"[5, 4]", "[3, 4]", "flush"});
  const data::Samples samples{ones(8, 4), ones(8, 2), {}};
  expect(trainer_.session().fit(samples, {.mode = "StepBP", .batch = 4}).status(), kWrongMoment, {"[4, 4]", "flush"});
  EXPECT_EQ(trainer_.session().in_flight(), 1);
  for (Trainer* each : {&trainer_, &untouched_}) EXPECT_EQ(each->session().flush().value().size(), 1U);
  EXPECT_EQ(trainer_.session().in_flight(), 0);
}

TEST_F(SessionErrors, StatesThatDoNotFit) {
  trainer_.train({Schedule::kLine, Rule::kLinearCache}, 3), untouched_.train({Schedule::kLine, Rule::kLinearCache}, 3);
  const State good = trainer_.session().save_state().value();
  const auto refused = [&](const std::function<void(State&)>& spoil, const std::vector<std::string>& words) {
    State state = good;
    spoil(state);
    expect(trainer_.session().restore_state(state), kInvalid, words);
  };
  refused([](State& s) { s.arrays.erase("leaf.2.weight"); }, {"restore_state: ", "'leaf.2.weight' is missing"});
  refused([](State& s) { s.arrays["leaf.3.weight"] = std::vector<float>(4); }, {"'leaf.3.weight' is unknown"});
  refused([](State& s) { s.arrays["leaf.1.weight"] = std::vector<float>(11); },
          {"'leaf.1.weight' has 11", "wanted 12"});
  refused([](State& s) { s.arrays["leaf.1.weight"] = std::vector<double>(12); }, {"'leaf.1.weight'", "number type"});
  refused([](State& s) { std::get<std::vector<float>>(s.arrays["leaf.1.weight"])[3] = std::nanf(""); },
          {"restore_state: ", "'leaf.1.weight' element 3 is nan, wanted a finite number"});
  refused([](State& s) { std::get<std::vector<float>>(s.arrays["leaf.2.weight"])[0] = HUGE_VALF; },
          {"'leaf.2.weight' element 0 is inf"});
  refused([](State& s) { s.arrays["rule.TweenSplitSparse.calls"] = std::vector<std::uint64_t>(1); },
          {"calls'", "number type"});
  refused([](State& s) { s.arrays["rule.TweenSplitSparse.calls:count"] = std::vector<float>(1); },
          {"calls:count'", "number type"});
  refused([](State& s) { s.arrays["pipe/leaf.1.y@9000000000"] = std::vector<float>(); }, {"pipe/leaf.1.y@9000000000"});
  refused([](State& s) { s.metadata.erase("pipe.clock"); }, {"'pipe.clock'"});
  refused([](State& s) { s.metadata["pipe.in_flight"] = "3"; }, {"do not fit"});
  refused([](State& s) { s.metadata["pipe.in_flight"] = "-1"; }, {"'pipe.in_flight' is -1"});
  refused([](State& s) { s.metadata["pipe.mode"] = "MeshBP"; }, {"do not fit"});
  refused([](State& s) { s.metadata["pipe.input"] = "3x5"; }, {"'fc1'", "[3, 5]"});
  refused([](State& s) { s.metadata["pipe.alt_times"] = "0"; }, {"'pipe.alt_times' is 0"});
  refused([](State& s) { s.arrays.erase("pipe/leaf.1.y@2"); }, {"'pipe/leaf.1.y@2' is missing"});
  for (Trainer* each : {&trainer_, &untouched_}) ASSERT_TRUE(each->session().flush().ok());
}

TEST(SessionClosed, RefusesEverythingAndClosesTwice) {
  Trainer trainer({small_stack(), {1, 4}, {1, 2}, 1});
  Session& session = trainer.session();
  EXPECT_TRUE(session.close().ok());
  EXPECT_TRUE(session.close().ok());
  const Tensor x = trainer.input(1), t = trainer.target(1);
  const data::Samples samples{x, t, {}};
  const std::vector<Status> statuses{session.train(x, t, {}).status(),
                                     session.forward(x).status(),
                                     session.fit(samples, {.batch = 1}).status(),
                                     session.evaluate(samples).status(),
                                     session.flush().status(),
                                     session.sync_to_host(),
                                     session.save_state().status(),
                                     session.restore_state({}),
                                     session.reset(),
                                     session.print_program({3, 4}, {3, 2}, {}).status()};
  for (const Status& status : statuses) {
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr("closed"));
  }
  EXPECT_EQ(session.in_flight(), 0);
}

}  // namespace
}  // namespace weft::test
