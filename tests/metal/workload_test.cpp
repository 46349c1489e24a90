// MetalWorkload: a short session of everything that the backend does, for the mistakes that are planted into it
// (tests/metal/mutations); as it is, it must pass.
#include <gtest/gtest.h>

#include "tests/metal/standin_here.h"
#include "tests/support/fitted.h"
#include "tests/support/insist.h"
#include "tests/unit/backend/bench.h"

namespace weft::test {
namespace {

class MetalWorkload : public testing::TestWithParam<const char*> {
 protected:
  /// Nothing is left, and nothing was compiled carelessly.
  void TearDown() override {
    for (const char* each : {"MTLBuffer", "MTLCommandBuffer", "MTLComputeCommandEncoder", "MTLCommandQueue", "NSString",
                             "NSError", "MTLFunction", "MTLCompileOptions"})
      EXPECT_EQ(standin_alive(each), 0) << each;
    EXPECT_EQ(standin_count("fast libraries"), 0);
  }
  Insist way{"WEFT_METAL_WAY", GetParam()};
};

TEST_P(MetalWorkload, RunsOfCalls) {
  for (const char* mode : {"NormalBP", "StepTweenSplit", "TweenAlt"}) {
    SCOPED_TRACE(mode);
    const TestModel model = Fitted::net(parse_mode(mode).value().schedule);
    const Fitted seen = Fitted::on("metal", model, mode, 9, 9), wanted = Fitted::on("cpu", model, mode, 9, 9);
    Fitted::expect_same(seen, wanted, 9);
  }
}

TEST_P(MetalWorkload, CallsOfTwoSizes) {
  const TestModel model = Fitted::net(Schedule::kStack);
  Trainer seen(model, {.device = "metal", .optimizer = adamw()}),
      wanted(model, {.device = "cpu", .optimizer = adamw()});
  for (const std::int64_t batch : {2, 40, 2}) {
    const auto seed = static_cast<std::uint64_t>(batch);
    const double loss = wanted.train(Mode{}, seed, 0.01, batch).loss;
    EXPECT_NEAR(seen.train(Mode{}, seed, 0.01, batch).loss, loss,
                10 * tolerance(OpClass::kSum, DType::kFloat32, loss, 6));
  }
  const Tensor input = seen.input(9), one = seen.forward(input), other = wanted.forward(input);
  for (std::int64_t i = 0; i < one.elements(); ++i) EXPECT_NEAR(one.at(i), other.at(i), 1e-4);
}

TEST_P(MetalWorkload, AFaultIsToldAndKept) {
  Trainer trainer(Fitted::net(Schedule::kStack), {.device = "metal"});
  const auto train = [&] { return trainer.session().train(trainer.input(1), trainer.target(1), {}).status().code(); };
  EXPECT_EQ(train(), StatusCode::kOk);
  ASSERT_TRUE(standin_fail("command", 1));
  EXPECT_EQ(train(), StatusCode::kDeviceFault);
  EXPECT_EQ(trainer.session().forward(trainer.input(1)).status().code(), StatusCode::kDeviceFault);
}

/// Sessions keep a fault themselves; a backend must do so for whoever uses it without one.
TEST_P(MetalWorkload, AFaultIsKeptByTheBackend) {
  Bench bench("metal");
  const Operand x = bench.values("x", {1.0, 2.0}), y = bench.values("y", {0.0, 0.0});
  const Instruction scale = instruction(Opcode::kScale, 1, 2, 1, {x}, {y});
  ASSERT_TRUE(standin_fail("command", 1));
  EXPECT_EQ(bench.run(scale).code(), StatusCode::kDeviceFault);
  EXPECT_EQ(bench.run(scale).code(), StatusCode::kDeviceFault);
}

INSTANTIATE_TEST_SUITE_P(Ways, MetalWorkload, testing::Values("steps", "chip"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace weft::test
