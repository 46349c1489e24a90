// The ways of the cuda device: each trains as cpu does in runs of many calls, on samples of one row and of several, and
// gives the same bits in one run and in many; what does not fit is refused where a way is insisted on, else not.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "src/backend/backend.h"
#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

/// WEFT_CUDA_WAY for as long as it lives; null: unset.
class Insist {
 public:
  explicit Insist(const char* way) {
    if (const char* set = std::getenv("WEFT_CUDA_WAY"); set != nullptr) before_ = set;
    put(way);
  }
  ~Insist() { put(before_.has_value() ? before_->c_str() : nullptr); }
  Insist(const Insist&) = delete;
  Insist& operator=(const Insist&) = delete;

 private:
  static void put(const char* way) { way == nullptr ? unsetenv("WEFT_CUDA_WAY") : setenv("WEFT_CUDA_WAY", way, 1); }
  std::optional<std::string> before_;
};

class CudaWaysBase {
 protected:
  static constexpr std::int64_t kBatch = 4, kSamples = 24;

  static bool here() { return create_backend("cuda", DType::kFloat32).ok(); }

  /// Layers of 6 x 5 and 5 x 3. rows: of a sample.
  static TestModel net(Schedule schedule, std::int64_t rows = 1) {
    TestModel made = chain(schedule, {dense(6, 5, Activation::kTanh, {.bias = true}), dense(5, 3)});
    std::visit([](auto& root) { root.initialise({.seed = 3}).value(); }, made.root);
    if (rows > 1) made.input = Shape{1, rows, 6}, made.target = Shape{1, rows, 3};
    return made;
  }

  static data::Samples samples(const TestModel& model) {
    return {random_tensor(model.input, kSamples, 1), random_tensor(model.target, kSamples, 2), {}};
  }

  static std::vector<std::int64_t> order(std::int64_t calls) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < calls * kBatch; ++i) order.push_back(i * 7 % kSamples);
    return order;
  }

  struct Fitted {
    FitResult result;
    std::vector<Numbers> weights;
  };
  /// Trained in runs of `each` calls.
  static Fitted fitted(const char* device, const TestModel& model, const char* mode, std::int64_t calls,
                       std::int64_t each) {
    Trainer trainer(model, {.device = device});
    const data::Samples data = samples(model);  // cpu holds a reference
    const HeldSamples held = trainer.session().hold(data).value();
    const std::vector<std::int64_t> all = order(calls);
    Fitted fitted{};
    for (std::int64_t at = 0; at < calls; at += each) {
      const auto first = static_cast<std::size_t>(at * kBatch);
      const auto count = static_cast<std::size_t>(std::min(each, calls - at) * kBatch);
      FitOptions options{.mode = mode, .lr = 0.05, .batch = kBatch, .order = std::span(all).subspan(first, count)};
      options.ticks = model.ticks;
      fitted.result = trainer.session().fit(held, options).value();
    }
    fitted.weights = trainer.weights();
    return fitted;
  }

  static void expect_same(const Fitted& seen, const Fitted& wanted, std::int64_t calls) {
    const double factor = static_cast<double>(calls);
    ASSERT_EQ(seen.weights.size(), wanted.weights.size());
    for (std::size_t leaf = 0; leaf < wanted.weights.size(); ++leaf) {
      double largest = 0.0, worst = 0.0;
      for (std::size_t i = 0; i < wanted.weights[leaf].size(); ++i) {
        largest = std::max(largest, std::abs(wanted.weights[leaf][i]));
        worst = std::max(worst, std::abs(seen.weights[leaf][i] - wanted.weights[leaf][i]));
      }
      EXPECT_LE(worst, factor * tolerance(OpClass::kSum, DType::kFloat32, largest, 6)) << "leaf " << leaf;
    }
    EXPECT_NEAR(seen.result.loss, wanted.result.loss,
                factor * tolerance(OpClass::kSum, DType::kFloat32, wanted.result.loss, 6));
  }
};

class CudaWays : public CudaWaysBase, public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!here()) GTEST_SKIP() << "no GPU";
  }
};

TEST_P(CudaWays, RunsOfManyCallsTrainAsCpuDoes) {
  const Insist insist(GetParam());
  for (const char* mode : {"NormalBP", "StepTweenSplit", "TweenAlt", "MeshBP"}) {
    SCOPED_TRACE(mode);
    const TestModel model = net(parse_mode(mode).value().schedule);
    const Fitted wanted = fitted("cpu", model, mode, 50, 50), seen = fitted("cuda", model, mode, 50, 50),
                 apart = fitted("cuda", model, mode, 50, 7);
    expect_same(seen, wanted, 50);
    EXPECT_EQ(seen.weights, apart.weights);
  }
}

TEST_P(CudaWays, SamplesOfSeveralRows) {
  const Insist insist(GetParam());
  const TestModel model = net(Schedule::kStack, 3);
  expect_same(fitted("cuda", model, "NormalBP", 20, 20), fitted("cpu", model, "NormalBP", 20, 20), 20);
}

TEST_P(CudaWays, AFleetIsItsMembersAlone) {
  const Insist insist(GetParam());
  constexpr std::size_t kMembers = 5;
  std::vector<Stack> together, alone;
  for (std::size_t i = 0; i < kMembers; ++i) {
    together.push_back(std::get<Stack>(net(Schedule::kStack).root));
    together.back().initialise({.seed = i + 1}).value();
  }
  alone = together;
  const data::Samples data = samples(net(Schedule::kStack));
  const std::vector<std::int64_t> whole = order(2500), other = order(200);  // several launches, and one
  const auto check = [&](const std::vector<FitOptions>& options) {
    Fleet fleet = mount_fleet(std::span(together), {.device = "cuda"}).value();
    const HeldSamples held = fleet.hold(data).value();
    std::vector<FitResult> seen;
    for (int time = 0; time < 2; ++time) seen = fleet.fit(held, options).value();
    for (std::size_t i = 0; i < kMembers; ++i) {
      SCOPED_TRACE(i);
      Session session = mount(alone[i], {.device = "cuda"}).value();
      const HeldSamples own = session.hold(data).value();
      FitResult wanted;
      for (int time = 0; time < 2; ++time) wanted = session.fit(own, options[options.size() == 1 ? 0 : i]).value();
      EXPECT_EQ(seen[i].loss, wanted.loss);
      EXPECT_EQ(seen[i].calls, wanted.calls);
      session.sync_to_host().value();
      fleet[i].sync_to_host().value();
      for (std::size_t leaf = 0; leaf < 2; ++leaf) {
        const auto a = leaves(together[i])[leaf]->weight.values<float>(),
                   b = leaves(alone[i])[leaf]->weight.values<float>();
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      }
    }
  };
  check({{.lr = 0.05, .batch = kBatch, .order = whole}});
  check({{.lr = 0.05, .batch = kBatch, .seed = 9}});
  std::vector<FitOptions> each;  // of other lengths, rates, orders and modes
  for (std::size_t i = 0; i < kMembers; ++i)
    each.push_back({.mode = i == 3 ? "TweenSplit" : "NormalBP",
                    .lr = 0.02 * static_cast<double>(i + 1),
                    .batch = kBatch,
                    .order = i % 2 == 0 ? whole : other});
  check(each);
}

INSTANTIATE_TEST_SUITE_P(Each, CudaWays, testing::Values("steps", "chip", "interpreter", "grid", "fastest"),
                         [](const auto& info) { return std::string(info.param); });

class CudaWayUnasked : public CudaWaysBase, public testing::Test {
 protected:
  void SetUp() override {
    if (!here()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(CudaWayUnasked, ChangesAfterManyCallsToTheSameNumbers) {
  const Insist none(nullptr);
  for (const char* mode : {"NormalBP", "StepTweenSplit"}) {
    SCOPED_TRACE(mode);
    const TestModel model = net(parse_mode(mode).value().schedule);
    constexpr std::int64_t kCalls = 1500;
    const Fitted seen = fitted("cuda", model, mode, kCalls, 300);
    expect_same(seen, fitted("cpu", model, mode, kCalls, 300), kCalls);
    EXPECT_EQ(seen.weights, fitted("cuda", model, mode, kCalls, 300).weights);
  }
}

TEST_F(CudaWayUnasked, AnUnknownNameIsRefused) {
  const Insist insist("chips");
  Trainer trainer(net(Schedule::kStack), {.device = "cuda"});
  const auto result = trainer.session().train(trainer.input(1), trainer.target(2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result.status().message(), HasSubstr("seen 'chips'"));
}

TEST_F(CudaWayUnasked, InsistedOnWhatDoesNotFitIsRefused) {
  const Insist insist("chip");
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
