// What moves: every leaf that a mode trains, and nothing after a loss that is not finite.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/models.h"

namespace weft::test {
namespace {

/// Positive weights, biases and targets, so that no link budget of the mesh is small.
Dense positive(std::int64_t in, std::int64_t out, std::uint64_t seed, Activation activation = sigmoid) {
  Random random(seed);
  std::vector<float> weight, bias;
  for (std::int64_t i = 0; i < in * out; ++i) weight.push_back(static_cast<float>(random.uniform(0.05, 0.4)));
  for (std::int64_t i = 0; i < out; ++i) bias.push_back(static_cast<float>(random.uniform(0.1, 0.2)));
  return dense(in, out, activation, {.weight = Tensor({out, in}, weight), .bias_values = Tensor({out}, bias)});
}

Tensor ones(std::int64_t rows, std::int64_t columns, float value) {
  return Tensor({rows, columns}, std::vector<float>(static_cast<std::size_t>(rows * columns), value));
}

/// The leaves (from 0) of which a weight or bias moved; both must have moved where one did.
std::vector<std::size_t> moved(const std::vector<Numbers>& before, const std::vector<Numbers>& after, std::int64_t in) {
  std::vector<std::size_t> leaves;
  for (std::size_t leaf = 0; leaf < before.size(); ++leaf) {
    if (before[leaf] == after[leaf]) continue;
    leaves.push_back(leaf);
    const auto out = before[leaf].size() / static_cast<std::size_t>(in + 1);
    bool bias = false;
    for (std::size_t i = before[leaf].size() - out; i < before[leaf].size(); ++i)
      bias |= before[leaf][i] != after[leaf][i];
    EXPECT_TRUE(bias) << "the bias of leaf " << leaf + 1 << " did not move";
  }
  return leaves;
}

class Movement : public testing::TestWithParam<ModeParam> {};
WEFT_FOR_EVERY_MODE(Movement);

TEST_P(Movement, OfEveryLeafThatTheModeTrainsAndNoOther) {
  const Mode mode = GetParam().mode;
  TestModel model = chain(mode.schedule, {positive(4, 4, 1), positive(4, 4, 2), positive(4, 4, 3), positive(4, 4, 4)});
  const bool mesh = mode.schedule == Schedule::kMesh;
  if (mesh) {  // a disabled cell's op is never trained
    auto& grid = std::get<Grid>(model.root);
    grid.cells[0].op = positive(4, 4, 5);
  }
  const std::size_t first = mesh ? 1 : 0;
  for (const char* device : {"cpu", "native_cpu"}) {
    Trainer trainer(model, {.device = device});
    for (std::size_t call = 0; call < 7; ++call) {
      const auto before = trainer.weights();
      trainer.train(mode, ones(2, 4, 0.5F), ones(2, 4, 0.9F), 0.3);
      trainer.session().flush().value();
      std::vector<std::size_t> wanted;
      for (std::size_t leaf = first; leaf < first + 4; ++leaf) {
        const bool turn = mode.rule != Rule::kSparse || leaf == first + 3 || leaf - first == call % 3;
        if (turn) wanted.push_back(leaf);
      }
      EXPECT_EQ(moved(before, trainer.weights(), 4), wanted) << device << " call " << call;
    }
  }
}

TEST_P(Movement, OfEveryLeafOfRandomModels) {
  const Mode mode = GetParam().mode;
  const bool mesh_targets =
      mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
  const bool linear = mode.rule == Rule::kLinear || mode.rule == Rule::kLinearCache;
  if (mesh_targets || mode.rule == Rule::kSparse) return;  // a part of the leaves, on purpose
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    // Linear passes a filter's gate by: without composites there is none.
    Trainer trainer(random_model(mode, seed, {.smooth = true, .composites = !linear, .links = false}));
    const auto before = trainer.weights();
    trainer.train(mode, seed);
    trainer.session().flush().value();
    const auto after = trainer.weights();
    for (std::size_t leaf = 0; leaf < before.size(); ++leaf)
      EXPECT_NE(before[leaf], after[leaf]) << seed << " leaf " << leaf + 1;
  }
}

void expect_gate_passed_by(Mode mode) {
  const TestModel model{
      Stack{positive(4, 4, 1), filter({positive(4, 4, 2), positive(4, 4, 3)}, positive(4, 2, 4)), positive(4, 4, 5)},
      {1, 4},
      {1, 4},
      1};
  Trainer trainer(model);
  for (int call = 0; call < 2; ++call) {  // a refresh and a reuse
    const auto before = trainer.weights();
    trainer.train(mode, ones(2, 4, 0.5F), ones(2, 4, 0.9F), 0.3);
    trainer.session().flush().value();
    EXPECT_EQ(moved(before, trainer.weights(), 4), (std::vector<std::size_t>{0, 1, 2, 4})) << to_string(mode);
  }
}

TEST(MovementOf, AGateIsNoneUnderLinearRules) {
  for (const Schedule schedule : {Schedule::kStack, Schedule::kLine})
    for (const Rule rule : {Rule::kLinear, Rule::kLinearCache}) expect_gate_passed_by({schedule, rule});
}

/// Linear layers with weights above one: inputs near the largest float overflow to infinity.
TestModel overflowing(Schedule schedule) {
  std::vector<Op> ops;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Dense layer =
        dense(4, 4, linear, {.weight = random_tensor({4, 4}, 4, 40 + i), .bias_values = random_tensor({4}, 4, 50 + i)});
    for (float& w : layer.weight.mutable_values<float>()) w = std::abs(w);
    for (std::size_t d = 0; d < 16; d += 5) layer.weight.mutable_values<float>()[d] = 1.1F;
    ops.emplace_back(std::move(layer));
  }
  return chain(schedule, std::move(ops));
}

void expect_unmoved_by(const Tensor& input, const Tensor& target, Mode mode, const MountOptions& options) {
  const TestModel model = overflowing(mode.schedule);
  Trainer trainer(model, options), untouched(model, options);
  const bool same_batch = input.shape()[0] == 3;
  for (std::uint64_t call = 0; call < kManyCalls; ++call) {
    for (Trainer* each : {&trainer, &untouched}) {
      each->train(mode, call, 0.001);
      each->session().flush().value();
    }
    if (call % 4 != 1) continue;
    const auto weights = trainer.weights();
    const auto memory = trainer.memory();
    TrainResult result = trainer.train(mode, input, target, 0.001);
    if (mode.schedule == Schedule::kLine) {
      EXPECT_TRUE(result.filling);
      const auto drained = trainer.session().flush().value();
      ASSERT_EQ(drained.size(), 1U);
      result = drained.front();
    }
    EXPECT_FALSE(result.finite);
    EXPECT_FALSE(std::isfinite(result.loss));
    EXPECT_EQ(trainer.weights(), weights);
    EXPECT_TRUE(!same_batch || trainer.memory() == memory);
  }
  EXPECT_EQ(trainer.weights(), untouched.weights());
}

TEST_P(Movement, OfNothingWhereTheLossIsNotFinite) {
  const Mode mode = GetParam().mode;
  const bool sgd_only =
      mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
  for (const char* device : {"cpu", "native_cpu"}) {
    for (const Optimizer& optimizer : {sgd(), adamw()}) {
      if (sgd_only && optimizer.kind != OptimizerKind::kSgd) continue;
      // The larger batch makes buffers grow: what the rule keeps must outlive that too.
      for (const std::int64_t batch : {3, 7})
        expect_unmoved_by(ones(batch, 4, 3e38F), ones(batch, 4, 0.0F), mode,
                          {.device = device, .optimizer = optimizer});
    }
  }
}

/// A bad sample between good ones: the pipe moves on, and only its own pop moves nothing.
void expect_pipe_goes_on(Mode mode) {
  Trainer trainer(overflowing(Schedule::kLine));
  for (std::uint64_t call = 0; call < 8; ++call) {
    const bool bad = call == 3;
    const auto weights = trainer.weights();
    const auto memory = trainer.memory();
    const TrainResult result =
        trainer.train(mode, bad ? ones(3, 4, 3e38F) : trainer.input(call), trainer.target(call), 0.001);
    EXPECT_EQ(result.filling, call < 2) << to_string(mode);
    EXPECT_EQ(result.finite, call != 5) << "call " << call;  // the sample of call 3 comes out at call 5
    const bool still = call < 2 || call == 5;
    EXPECT_EQ(trainer.weights() == weights, still) << "call " << call;
    EXPECT_TRUE(!still || trainer.memory() == memory) << "call " << call;
  }
}

TEST(MovementOf, NothingByABadSampleInsideAFullPipe) {
  for (const Mode mode : modes_of(Schedule::kLine)) expect_pipe_goes_on(mode);
}

}  // namespace
}  // namespace weft::test
