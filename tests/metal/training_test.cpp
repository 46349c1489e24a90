// The metal device on the stand-in trains as cpu does: runs of calls through held rows, several sessions at once.
#include <gtest/gtest.h>

#include <thread>

#include "src/backend/backend.h"
#include "tests/metal/standin_here.h"
#include "tests/support/fitted.h"
#include "tests/support/insist.h"
#include "weft/fleet.hpp"

namespace weft::test {
namespace {

class MetalTraining : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto backend = create_backend("metal", DType::kFloat32);
    ASSERT_TRUE(backend.ok()) << backend.status().message();
  }
  Insist way{"WEFT_METAL_WAY", GetParam()};
};

TEST_P(MetalTraining, RunsOfManyCallsAreThoseOfCpu) {
  for (const char* mode : {"NormalBP", "StepTweenSplit", "TweenAlt", "MeshBP", "TweenSplitLinearCache"}) {
    SCOPED_TRACE(mode);
    const TestModel model = Fitted::net(parse_mode(mode).value().schedule);
    const Fitted wanted = Fitted::on("cpu", model, mode, 50, 50), seen = Fitted::on("metal", model, mode, 50, 50),
                 apart = Fitted::on("metal", model, mode, 50, 7);
    Fitted::expect_same(seen, wanted, 50);
    EXPECT_EQ(seen.weights, apart.weights);
  }
}

TEST_P(MetalTraining, OptimizersKeepTheirMomentsThere) {
  for (const OptimizerKind kind : {OptimizerKind::kMomentum, OptimizerKind::kNesterov, OptimizerKind::kAdamW}) {
    const TestModel model = Fitted::net(Schedule::kStack);
    Optimizer optimizer;
    optimizer.kind = kind;
    optimizer.weight_decay = 0.01;
    optimizer.clip = 0.5;
    Fitted::expect_same(Fitted::on("metal", model, "NormalBP", 20, 20, optimizer),
                        Fitted::on("cpu", model, "NormalBP", 20, 20, optimizer), 20);
  }
}

TEST_P(MetalTraining, SamplesOfSeveralRows) {
  const TestModel model = Fitted::net(Schedule::kStack, 3);
  Fitted::expect_same(Fitted::on("metal", model, "NormalBP", 20, 20), Fitted::on("cpu", model, "NormalBP", 20, 20), 20);
}

TEST_P(MetalTraining, ALossThatIsNotFiniteUpdatesNothing) {
  Trainer trainer(Fitted::net(Schedule::kStack), {.device = "metal"});
  trainer.train(Mode{}, 1);
  const std::vector<Numbers> before = trainer.weights();
  const Tensor target(trainer.target(2).shape(), std::vector<double>(9, 3e38));
  const TrainResult result = trainer.train(Mode{}, trainer.input(2), target.to(DType::kFloat32), 0.1);
  EXPECT_FALSE(result.finite);
  EXPECT_FALSE(std::isfinite(result.loss));
  EXPECT_EQ(trainer.weights(), before);
}

TEST_P(MetalTraining, SessionsThreadsDoNotMeet) {
  const TestModel model = Fitted::net(Schedule::kStack);
  const std::vector<const char*> modes{"NormalBP", "TweenSplit", "TweenAlt"};
  std::vector<Fitted> together(modes.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modes.size(); ++i)
    threads.emplace_back([&, i] { together[i] = Fitted::on("metal", model, modes[i], 30, 10); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < modes.size(); ++i)
    EXPECT_EQ(together[i].weights, Fitted::on("metal", model, modes[i], 30, 10).weights) << modes[i];
}

TEST_P(MetalTraining, FleetThreadsGiveEachMemberItsOwnBits) {
  constexpr std::size_t kMembers = 3;
  std::vector<Stack> together, alone;
  std::vector<FitOptions> options;
  for (std::size_t i = 0; i < kMembers; ++i) {
    together.push_back(std::get<Stack>(Fitted::net(Schedule::kStack).root));
    together.back().initialise({.seed = i + 1}).value();
    options.push_back({.lr = 0.02 * static_cast<double>(i + 1), .batch = Fitted::kBatch, .seed = i});
  }
  alone = together;
  const data::Samples data = Fitted::samples(Fitted::net(Schedule::kStack));
  Fleet fleet = mount_fleet(std::span(together), {.device = "metal"}).value();
  const HeldSamples held = fleet.hold(data).value();
  const auto results = fleet.fit(held, options).value();
  for (std::size_t i = 0; i < kMembers; ++i) {
    Session session = mount(alone[i], {.device = "metal"}).value();
    EXPECT_EQ(session.fit(data, options[i]).value().loss, results[i].loss);
    session.sync_to_host().value();
    fleet[i].sync_to_host().value();
    for (std::size_t leaf = 0; leaf < 2; ++leaf) {
      const auto seen = leaves(together[i])[leaf]->weight.values<float>();
      const auto wanted = leaves(alone[i])[leaf]->weight.values<float>();
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), wanted.begin(), wanted.end())) << "member " << i;
    }
  }
}

TEST_P(MetalTraining, TheWayIsThatOfTheWholeFitWhereverReportsCutIt) {
  constexpr std::int64_t kCalls = 1005;
  EXPECT_EQ(Fitted::reported("metal", kCalls, kCalls), Fitted::reported("metal", kCalls, 335));
}

INSTANTIATE_TEST_SUITE_P(Ways, MetalTraining, testing::Values("steps", "chip", "fastest"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace weft::test
