// A session's results depend on its weights and state alone: not on the run, on checkpoints in between, on
// other batch sizes before, or on other modes beside.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <filesystem>

#include "tests/support/models.h"

namespace weft::test {
namespace {

bool takes(Mode mode, OptimizerKind optimizer) {
  const bool targets =
      mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
  return optimizer == OptimizerKind::kSgd || !targets;
}

TestModel model_for(Mode mode, std::uint64_t seed) {
  // Target propagation does not follow links, and wants the widths down the index to fit: the grids' do.
  return random_model(mode, seed, {.links = true, .feeds_itself = seed % 2 == 1});
}

std::vector<double> train_calls(Trainer& trainer, Mode mode, std::uint64_t from, std::uint64_t to) {
  std::vector<double> losses;
  for (std::uint64_t call = from; call < to; ++call) losses.push_back(trainer.train(mode, call).loss);
  return losses;
}

class History : public testing::TestWithParam<ModeParam> {};
WEFT_FOR_EVERY_MODE(History);

TEST_P(History, RepeatedRunsGiveTheSameBits) {
  const Mode mode = GetParam().mode;
  for (const char* device : {"cpu", "native_cpu"}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const TestModel model = model_for(mode, seed);
      Trainer first(model, {.device = device}), second(model, {.device = device});
      EXPECT_EQ(train_calls(first, mode, 0, kManyCalls), train_calls(second, mode, 0, kManyCalls));
      EXPECT_EQ(first.weights(), second.weights());
      EXPECT_EQ(first.memory(), second.memory());
    }
  }
}

TEST_P(History, ARestoredStateGoesOnAsTheUninterruptedRun) {
  const Mode mode = GetParam().mode;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      fmt::format("weft_history_{}_{}", to_string(mode), testing::UnitTest::GetInstance()->random_seed());
  int files = 0;
  for (const char* device : {"cpu", "native_cpu"}) {
    for (const Optimizer& optimizer : {sgd(), momentum(), nesterov(), adamw()}) {
      if (!takes(mode, optimizer.kind)) continue;
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const TestModel model = model_for(mode, seed);
        const MountOptions options{.device = device, .optimizer = optimizer};
        Trainer whole(model, options), fresh(model, options), used(model, options);
        const std::uint64_t middle = 5 + seed;
        train_calls(whole, mode, 0, middle);
        const State state = whole.session().save_state().value();
        ASSERT_TRUE(fresh.session().restore_state(state).ok());
        // Into a session that has gone another way, at another batch size, through a file.
        used.train(mode, 100, 0.1, 7);
        ASSERT_TRUE(write_state(state, file).ok());
        ++files;
        ASSERT_TRUE(used.session().restore_state(read_state(file).value()).ok());
        const auto wanted = train_calls(whole, mode, middle, kManyCalls);
        EXPECT_EQ(train_calls(fresh, mode, middle, kManyCalls), wanted);
        EXPECT_EQ(train_calls(used, mode, middle, kManyCalls), wanted);
        for (Trainer* each : {&whole, &fresh, &used}) ASSERT_TRUE(each->session().flush().ok());
        EXPECT_EQ(fresh.weights(), whole.weights());
        EXPECT_EQ(used.weights(), whole.weights());
        EXPECT_EQ(fresh.memory(), whole.memory());
      }
    }
  }
  EXPECT_GT(files, 0);
  std::filesystem::remove(file);
}

TEST_P(History, EarlierCallsAtOtherBatchSizesChangeNothing) {
  const Mode mode = GetParam().mode;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const TestModel model = model_for(mode, seed);
    Trainer other(model), same(model);
    // 20 calls that move nothing: a whole period of the cache and the same counts of calls in both. What
    // HeadProxyAsync keeps is dropped at another batch size, so its twin starts with nothing kept.
    for (std::uint64_t call = 0; call < 20; ++call) {
      other.train(mode, call, 0.0, call % 3 == 0 ? 2 : 5);
      other.session().flush().value();
      other.forward(other.input(call, 9));
      if (call == 7) {
        const data::Samples samples{other.input(call, 8), other.target(call, 8), {}};
        ASSERT_TRUE(other.session().evaluate(samples, {.batch = 6, .ticks = model.ticks}).ok());
      }
      if (mode.rule == Rule::kHeadProxyAsync) continue;
      same.train(mode, call, 0.0, 3);
      same.session().flush().value();
    }
    EXPECT_EQ(train_calls(other, mode, 0, 8), train_calls(same, mode, 0, 8)) << "seed " << seed;
    EXPECT_EQ(other.weights(), same.weights()) << "seed " << seed;
  }
}

TEST_P(History, InferenceDisturbsNothingOnTheWay) {
  const Mode mode = GetParam().mode;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const TestModel model = model_for(mode, seed);
    Trainer watched(model), alone(model);
    for (std::uint64_t call = 0; call < kManyCalls; ++call) {
      EXPECT_EQ(watched.train(mode, call).loss, alone.train(mode, call).loss);
      watched.forward(watched.input(call, call % 2 == 0 ? 3 : 11));
      const data::Samples samples{watched.input(call, 5), watched.target(call, 5), {}};
      ASSERT_TRUE(watched.session().evaluate(samples, {.batch = 4, .ticks = model.ticks}).ok());
      const TrainOptions options{.mode = mode, .ticks = model.ticks};
      ASSERT_TRUE(watched.session().print_program(samples.inputs.shape(), samples.targets.shape(), options).ok());
      ASSERT_TRUE(watched.session().save_state().ok());
    }
    EXPECT_EQ(watched.weights(), alone.weights());
  }
}

TEST_P(History, ModesBesideItKeepTheirStatesApart) {
  const Mode mode = GetParam().mode;
  const bool line = mode.schedule == Schedule::kLine;
  const TestModel model = model_for(mode, 2);
  Trainer alone(model);
  const auto step = [&](Trainer& trainer, Mode which, std::uint64_t call, double lr) {
    const double loss = trainer.train(which, call, lr).loss;
    return line ? trainer.session().flush().value().back().loss : loss;
  };
  std::vector<double> wanted;
  for (std::uint64_t call = 0; call < 6; ++call) wanted.push_back(step(alone, mode, call, 0.05));
  for (const Mode other : modes_of(mode.schedule)) {
    if (other == mode) continue;
    Trainer both(model);
    std::vector<double> losses;
    for (std::uint64_t call = 0; call < 6; ++call) {
      losses.push_back(step(both, mode, call, 0.05));
      step(both, other, 50 + call, 0.0);
    }
    EXPECT_EQ(losses, wanted) << "beside " << to_string(other);
    EXPECT_EQ(both.weights(), alone.weights()) << "beside " << to_string(other);
  }
}

}  // namespace
}  // namespace weft::test
