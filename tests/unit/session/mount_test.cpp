// What mounting refuses, in which words; absurd sizes are refused before memory is asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

Dense given(std::int64_t in, std::int64_t out, DType dtype = DType::kFloat32) {
  return dense(in, out, linear, {.dtype = dtype, .weight = random_tensor({out, in}, out, 1, dtype)});
}

void expect(const Status& status, StatusCode code, const std::vector<std::string>& words) {
  EXPECT_EQ(status.code(), code) << status.message();
  for (const std::string& word : words) EXPECT_THAT(status.message(), HasSubstr(word));
}

void expect_refused(Stack model, StatusCode code, const std::vector<std::string>& words,
                    MountOptions options = {.device = "cpu"}) {
  expect(mount(model, options).status(), code, words);
}

TEST(Mount, NamesTheLeafWithoutWeights) {
  expect_refused({given(4, 3), dense(3, 2, tanh, {.name = "fc2"})}, StatusCode::kInvalidArgument,
                 {"mount: dense 'fc2' (leaf 2)", "weight [2, 3] has no values"});
  Dense biased = given(3, 2);
  biased.bias = Tensor({3}, std::vector<float>(3));
  expect_refused({biased}, StatusCode::kInvalidArgument, {"leaf 1", "bias is [3], wanted [2]"});
}

TEST(Mount, NamesTheLeafWhoseInputDoesNotFit) {
  Dense second = given(5, 2);
  second.name = "fc2";
  expect_refused({given(4, 3), second}, StatusCode::kInvalidArgument,
                 {"mount: dense 'fc2'", "3 features", "5 features"});
}

TEST(Mount, NamesNumbersThatAreNotFinite) {
  Dense bad = given(2, 2);
  bad.name = "fc";
  bad.weight.mutable_values<float>()[3] = std::nanf("");
  expect_refused({bad}, StatusCode::kInvalidArgument, {"'fc' (leaf 1)", "weight element 3", "finite"});
}

TEST(Mount, RefusesDtypesAndFormatsByName) {
  const auto known = [](DType dtype, Format format) {
    Dense op = given(2, 2);
    op.dtype = dtype, op.format = format, op.name = "fc";
    return Stack{op};
  };
  expect_refused(known(DType::kBfloat16, Format::kNone), StatusCode::kUnsupported,
                 {"'fc'", "bfloat16", "known", "float32 or float64"});
  expect_refused(known(DType::kFloat32, parse_format("q4_0").value()), StatusCode::kUnsupported,
                 {"'fc'", "Q4_0", "known"});
  expect_refused({given(2, 2), given(2, 2, DType::kFloat64)}, StatusCode::kUnsupported,
                 {"leaf 2", "float64", "float32"});
}

TEST(Mount, DoublesLiveOnTheReferenceOnly) {
  expect_refused({given(2, 2, DType::kFloat64)}, StatusCode::kUnsupported, {"native_cpu", "float64", "cpu"},
                 {.device = "native_cpu"});
  expect_refused({given(2, 2)}, StatusCode::kNotFound, {"abacus", "native_cpu"}, {.device = "abacus"});
}

TEST(Mount, RefusesAbsurdWidthsBeforeAllocating) {
  expect_refused({dense(1'000'000'000, 1'000'000'000, linear, {.name = "huge"})}, StatusCode::kResourceExhausted,
                 {"mount: dense 'huge' (leaf 1)", "[1000000000, 1000000000]", "2^40"});
  expect_refused({dense(std::int64_t{1} << 62, 8, linear, {.name = "huge"})}, StatusCode::kResourceExhausted,
                 {"'huge'", "2^40"});
  expect_refused({dense(-3, 4, linear, {.name = "odd"})}, StatusCode::kInvalidArgument,
                 {"'odd'", "-3 -> 4", "1 or more"});
  expect_refused({given(2, 2), view({std::int64_t{1} << 40, 2})}, StatusCode::kInvalidArgument,
                 {"view at 1", "1099511627776"});
  expect_refused({given(2, 2), view({-1, -1})}, StatusCode::kInvalidArgument, {"view at 1", "[-1, -1]"});
  expect_refused({given(2, 2), view({0, 2})}, StatusCode::kInvalidArgument, {"view at 1", "[0, 2]"});
  expect_refused({given(2, 2), view({})}, StatusCode::kInvalidArgument, {"view at 1"});
}

/// 2^20 rows of 2^20 activations: known only once the batch is.
TEST(Mount, RefusesAbsurdActivationsBeforeAllocating) {
  constexpr std::int64_t kMany = std::int64_t{1} << 20;
  for (const char* device : {"cpu", "native_cpu"}) {
    Stack model{view({-1, 1}),
                dense(1, kMany, linear, {.weight = Tensor({kMany, 1}, std::vector<float>(kMany, 0.5F))})};
    auto session = mount(model, {.device = device});
    if (session.status().code() == StatusCode::kNotFound) GTEST_SKIP() << session.status().message();
    const Tensor input({1024, 1024}, std::vector<float>(kMany, 1.0F));
    expect(session->forward(input).status(), StatusCode::kResourceExhausted, {"leaf.1.y"});
    EXPECT_EQ(session->forward(Tensor({1, 1}, std::vector<float>{2.0F})).value().at(kMany - 1), 1.0);
  }
}

TEST(Mount, ViewsThatDoNotFitTheBatchAreNamed) {
  Stack model{given(2, 2), view({2, 3})};
  auto session = mount(model, {.device = "cpu"}).value();
  expect(session.forward(random_tensor({1, 2}, 4, 1)).status(), StatusCode::kInvalidArgument,
         {"forward: view at 1", "[4, 2]", "8 numbers", "[2, 3]"});
}

TEST(Mount, RefusesOptimizersThatMakeNoSense) {
  const auto with = [](Optimizer optimizer) { return MountOptions{.device = "cpu", .optimizer = optimizer}; };
  expect_refused({given(2, 2)}, StatusCode::kInvalidArgument, {"mount: optimizer momentum is 1"}, with(momentum(1.0)));
  expect_refused({given(2, 2)}, StatusCode::kInvalidArgument, {"mount: optimizer momentum is nan"},
                 with(momentum(std::nan(""))));
  Optimizer bad = adamw();
  bad.epsilon = 0.0;
  expect_refused({given(2, 2)}, StatusCode::kInvalidArgument, {"mount: optimizer epsilon is 0"}, with(bad));
}

TEST(Mount, EmptyModels) {
  expect_refused(Stack(std::vector<Op>{}), StatusCode::kInvalidArgument, {"mount: stack", "no ops"});
  expect_refused({flatten()}, StatusCode::kInvalidArgument, {"mount: ", "no leaf"});
  Stack modes{given(2, 2), given(2, 2)};
  modes.child_modes = {std::nullopt};
  expect_refused(modes, StatusCode::kInvalidArgument, {"1 child modes for 2 ops"});
}

TEST(Mount, HostWeightsStayUntilSync) {
  Stack model{given(2, 2)};
  const float before = static_cast<float>(leaves(model)[0]->weight.at(0));
  auto session = mount(model, {.device = "cpu"}).value();
  const Tensor x = random_tensor({1, 2}, 3, 1), t = random_tensor({1, 2}, 3, 2);
  session.train(x, t, {.lr = 0.5}).value();
  EXPECT_EQ(static_cast<float>(leaves(model)[0]->weight.at(0)), before);
  session.sync_to_host().value();
  EXPECT_NE(static_cast<float>(leaves(model)[0]->weight.at(0)), before);
  model.ops.emplace_back(given(2, 2));
  expect(session.sync_to_host(), StatusCode::kFailedPrecondition, {"changed", "2 leaves, wanted 1"});
}

TEST(Mount, ResetIsAsJustMounted) {
  for (const Optimizer& optimizer : {sgd(), adamw()}) {
    const TestModel model = random_stack(3);
    Trainer trainer(model, {.device = "cpu", .optimizer = optimizer}),
        fresh(model, {.device = "cpu", .optimizer = optimizer});
    for (const Mode mode : {Mode{Schedule::kStack, Rule::kLinearCache}, Mode{Schedule::kLine, Rule::kHeadProxyAsync}}) {
      for (std::uint64_t call = 0; call < 3; ++call) trainer.train(mode, call);
      if (mode.schedule == Schedule::kStack) continue;
      ASSERT_TRUE(trainer.session().reset().ok());
      EXPECT_EQ(trainer.session().in_flight(), 0);
    }
    for (const Mode mode : {Mode{Schedule::kStack, Rule::kLinearCache}, Mode{Schedule::kLine, Rule::kHeadProxyAsync}}) {
      for (std::uint64_t call = 5; call < 9; ++call)
        EXPECT_EQ(trainer.train(mode, call).loss, fresh.train(mode, call).loss);
      ASSERT_TRUE(trainer.session().flush().ok() && fresh.session().flush().ok());
    }
    EXPECT_EQ(trainer.weights(), fresh.weights());
  }
}

}  // namespace
}  // namespace weft::test
