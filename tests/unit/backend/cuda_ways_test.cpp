// The ways of the cuda device: each trains as cpu does in runs of many calls, on samples of one row and of several, and
// gives the same bits in one run and in many; what does not fit is refused where a way is insisted on, else not.
#include <gmock/gmock.h>

#include "src/backend/backend.h"
#include "tests/support/fitted.h"
#include "tests/support/insist.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

bool here() { return create_backend("cuda", DType::kFloat32).ok(); }

class CudaWays : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!here()) GTEST_SKIP() << "no GPU";
  }
};

TEST_P(CudaWays, RunsOfManyCallsTrainAsCpuDoes) {
  const Insist insist("WEFT_CUDA_WAY", GetParam());
  for (const char* mode : {"NormalBP", "StepTweenSplit", "TweenAlt", "MeshBP"}) {
    SCOPED_TRACE(mode);
    const TestModel model = Fitted::net(parse_mode(mode).value().schedule);
    const Fitted wanted = Fitted::on("cpu", model, mode, 50, 50), seen = Fitted::on("cuda", model, mode, 50, 50),
                 apart = Fitted::on("cuda", model, mode, 50, 7);
    Fitted::expect_same(seen, wanted, 50);
    EXPECT_EQ(seen.weights, apart.weights);
  }
}

TEST_P(CudaWays, SamplesOfSeveralRows) {
  const Insist insist("WEFT_CUDA_WAY", GetParam());
  const TestModel model = Fitted::net(Schedule::kStack, 3);
  Fitted::expect_same(Fitted::on("cuda", model, "NormalBP", 20, 20), Fitted::on("cpu", model, "NormalBP", 20, 20), 20);
}

TEST_P(CudaWays, AFleetIsItsMembersAlone) {
  const Insist insist("WEFT_CUDA_WAY", GetParam());
  constexpr std::size_t kMembers = 5;
  std::vector<Stack> together, alone;
  for (std::size_t i = 0; i < kMembers; ++i) {
    together.push_back(std::get<Stack>(Fitted::net(Schedule::kStack).root));
    together.back().initialise({.seed = i + 1}).value();
  }
  alone = together;
  const data::Samples data = Fitted::samples(Fitted::net(Schedule::kStack));
  const std::vector<std::int64_t> whole = Fitted::order(5000), other = Fitted::order(200);  // two launches, and one
  const auto check = [&](const std::vector<FitOptions>& options) {
    Fleet fleet = mount_fleet(std::span(together), {.device = "cuda"}).value();
    const HeldSamples held = fleet.hold(data).value();
    const std::vector<FitResult> first = fleet.fit(held, options).value(), second = fleet.fit(held, options).value();
    for (std::size_t i = 0; i < kMembers; ++i) {
      SCOPED_TRACE(i);
      Session session = mount(alone[i], {.device = "cuda"}).value();
      const HeldSamples own = session.hold(data).value();
      for (const FitResult& seen : {first[i], second[i]}) {
        const FitResult wanted = session.fit(own, options[options.size() == 1 ? 0 : i]).value();
        EXPECT_EQ(seen.loss, wanted.loss);
        EXPECT_EQ(seen.calls, wanted.calls);
        EXPECT_EQ(seen.non_finite, wanted.non_finite);
      }
      session.sync_to_host().value();
      fleet[i].sync_to_host().value();
      for (std::size_t leaf = 0; leaf < 2; ++leaf) {
        const auto a = leaves(together[i])[leaf]->weight.values<float>(),
                   b = leaves(alone[i])[leaf]->weight.values<float>();
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      }
    }
  };
  check({{.lr = 0.05, .batch = Fitted::kBatch, .order = whole}});
  check({{.lr = 0.05, .batch = Fitted::kBatch, .seed = 9}});
  std::vector<FitOptions> each;  // of other lengths, rates, orders and modes
  for (std::size_t i = 0; i < kMembers; ++i)
    each.push_back({.mode = i == 3 ? "TweenSplit" : "NormalBP",
                    .lr = 0.02 * static_cast<double>(i + 1),
                    .batch = Fitted::kBatch,
                    .order = i % 2 == 0 ? whole : other});
  check(each);
  std::vector<double> rates(5000, 0.02);
  rates[4000] = 1e30;  // no loss is finite from there on
  check({{.rates = rates, .batch = Fitted::kBatch, .order = whole}});
}

TEST_P(CudaWays, LossesAddUpToTheSameBitsInRunsOfAnyLength) {
  const Insist insist("WEFT_CUDA_WAY", GetParam());
  constexpr std::int64_t kCalls = 20000;  // whose order does not go to the GPU at once
  const std::vector<std::int64_t> order = Fitted::order(kCalls);
  FitOptions options{.lr = 0.05, .batch = Fitted::kBatch, .order = order};
  const auto fit = [&] {
    Trainer trainer(Fitted::net(Schedule::kStack), {.device = "cuda"});
    return trainer.session().fit(Fitted::samples(Fitted::net(Schedule::kStack)), options).value().loss;
  };
  const double whole = fit();
  options.report = [](const FitReport&) { return true; };
  for (const std::int64_t every : {1100, 333}) {  // added up by the GPU, and here
    options.report_every = every;
    EXPECT_EQ(fit(), whole) << every;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CudaWays, testing::Values("steps", "chip", "interpreter", "grid", "fastest"),
                         [](const auto& info) { return std::string(info.param); });

class CudaWayUnasked : public testing::Test {
 protected:
  void SetUp() override {
    if (!here()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(CudaWayUnasked, ChangesAfterManyCallsToTheSameNumbers) {
  const Insist none("WEFT_CUDA_WAY", nullptr);
  for (const char* mode : {"NormalBP", "StepTweenSplit"}) {
    SCOPED_TRACE(mode);
    const TestModel model = Fitted::net(parse_mode(mode).value().schedule);
    constexpr std::int64_t kCalls = 1500;
    const Fitted seen = Fitted::on("cuda", model, mode, kCalls, 300);
    Fitted::expect_same(seen, Fitted::on("cpu", model, mode, kCalls, 300), kCalls);
    EXPECT_EQ(seen.weights, Fitted::on("cuda", model, mode, kCalls, 300).weights);
  }
}

TEST_F(CudaWayUnasked, IsThatOfTheWholeFitWhereverReportsCutIt) {
  const Insist none("WEFT_CUDA_WAY", nullptr);
  constexpr std::int64_t kCalls = 1500;
  EXPECT_EQ(Fitted::reported("cuda", kCalls, kCalls), Fitted::reported("cuda", kCalls, 100));
}

TEST_F(CudaWayUnasked, AnUnknownNameIsRefused) {
  const Insist insist("WEFT_CUDA_WAY", "chips");
  Trainer trainer(Fitted::net(Schedule::kStack), {.device = "cuda"});
  const auto result = trainer.session().train(trainer.input(1), trainer.target(2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result.status().message(), HasSubstr("seen 'chips'"));
}

TEST_F(CudaWayUnasked, InsistedOnWhatDoesNotFitIsRefused) {
  const Insist insist("WEFT_CUDA_WAY", "chip");
  TestModel model = chain(Schedule::kStack, {dense(400, 300), dense(300, 10)});
  std::visit([](auto& root) { root.initialise().value(); }, model.root);
  Trainer trainer(model, {.device = "cuda"});
  const auto result = trainer.session().train(trainer.input(1), trainer.target(2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(result.status().message(), HasSubstr("bytes on chip wanted"));
}

}  // namespace
}  // namespace weft::test
