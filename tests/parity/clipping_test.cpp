// Clipping in every mode: a wide limit changes nothing, a narrow one bounds what a call moves.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

class Clipping : public testing::TestWithParam<ModeParam> {
 protected:
  void SetUp() override {
    const Mode mode = GetParam().mode;
    if (mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain))
      GTEST_SKIP() << "plain SGD only";
  }
  static Optimizer clipped(double limit) {
    Optimizer optimizer = sgd();
    optimizer.clip = limit;
    return optimizer;
  }
};
WEFT_FOR_EVERY_MODE(Clipping);

TEST_P(Clipping, AtAWideLimitIsNoClipping) {
  const Mode mode = GetParam().mode;
  const TestModel model = random_model(mode, 5);
  for (const char* device : {"cpu", "native_cpu"}) {
    Trainer wide(model, {.device = device, .optimizer = clipped(1e30)}), none(model, {.device = device});
    for (std::uint64_t call = 1; call <= kManyCalls; ++call) wide.train(mode, call), none.train(mode, call);
    const auto seen = wide.weights(), wanted = none.weights();
    for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf)
      for (std::size_t i = 0; i < wanted[leaf].size(); ++i)
        EXPECT_NEAR(seen[leaf][i], wanted[leaf][i],
                    tolerance(OpClass::kTranscendental, DType::kFloat32, 1.0, kManyCalls));
  }
}

TEST_P(Clipping, BoundsTheStepOfEveryParameter) {
  const Mode mode = GetParam().mode;
  constexpr double kLimit = 1e-3, kRate = 0.05;
  for (const char* device : {"cpu", "native_cpu"}) {
    Trainer trainer(random_model(mode, 5), {.device = device, .optimizer = clipped(kLimit)});
    // A leaf is applied once a call, in Alt once more at half the rate; its weight and its bias each have the norm.
    const double applications = mode.rule == Rule::kAlt ? 1.5 : 1.0;
    const double most = applications * kRate * kLimit * std::sqrt(2.0) * 1.01;
    bool moved = false;
    for (std::uint64_t call = 1; call <= kManyCalls; ++call) {
      const auto before = trainer.weights();
      trainer.train(mode, call, kRate);
      const auto after = trainer.weights();
      for (std::size_t leaf = 0; leaf < before.size(); ++leaf) {
        double square = 0.0;
        for (std::size_t i = 0; i < before[leaf].size(); ++i) square += std::pow(after[leaf][i] - before[leaf][i], 2);
        EXPECT_LE(std::sqrt(square), most) << device << " leaf " << leaf + 1 << " call " << call;
        moved |= square > 0.0;
      }
    }
    EXPECT_TRUE(moved);
  }
}

}  // namespace
}  // namespace weft::test
