// forward, delta, grad_input, weight_grad, bias_grad, update, bias_update by hand-computed values.
#include "tests/unit/backend/device_test.h"

namespace weft::test {
namespace {

class DenseInstructions : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(DenseInstructions);

TEST_P(DenseInstructions, ForwardGivesPreActivationAndOutput) {
  const Operand x = bench->values("x", {1, 2, 3, -1, 0, 2});
  const Operand w = bench->values("W", {1, 0, -1, 2, 1, 0.5});
  const Operand b = bench->values("b", {0.5, -1});
  const Operand z = bench->values("z", {9, 9, 9, 9}), y = bench->values("y", {9, 9, 9, 9});
  Instruction forward = instruction(Opcode::kForward, 2, 2, 3, {x, w, b}, {z, y});
  forward.activation = Activation::kRelu;
  ASSERT_TRUE(bench->run(forward).ok());
  // Row 0: 1-3+0.5 = -1.5; 2+2+1.5-1 = 4.5. Row 1: -1-2+0.5 = -2.5; -2+0+1-1 = -2.
  EXPECT_EQ(bench->read(z), (std::vector<double>{-1.5, 4.5, -2.5, -2}));
  EXPECT_EQ(bench->read(y), (std::vector<double>{0, 4.5, 0, 0}));
}

TEST_P(DenseInstructions, ForwardWithoutBiasMayPutOutputWherePreActivationWas) {
  const Operand x = bench->values("x", {1, 2}), w = bench->values("W", {3, 4});
  const Operand y = bench->values("y", {std::nan("")});  // what was there counts for nothing
  ASSERT_TRUE(bench->run(instruction(Opcode::kForward, 1, 1, 2, {x, w}, {y, y})).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{11}));
}

TEST_P(DenseInstructions, ForwardRunsEveryActivation) {
  const std::vector<double> pre{-2, -0.5, 0, 0.5, 2};
  for (int a = 0; a < kActivationCount; ++a) {
    const Operand x = bench->values("x", pre), w = bench->values("W", {1});
    const Operand z = bench->values("z", pre), y = bench->values("y", pre);
    Instruction forward = instruction(Opcode::kForward, 5, 1, 1, {x, w}, {z, y});
    forward.activation = static_cast<Activation>(a);
    ASSERT_TRUE(bench->run(forward).ok());
    std::vector<double> wanted;
    for (const double value : pre) wanted.push_back(activate(forward.activation, value));
    SCOPED_TRACE(to_string(forward.activation));
    expect_close(bench->read(y), wanted);
  }
}

TEST_P(DenseInstructions, DeltaTakesTheSlopeAtThePreActivation) {
  const Operand g = bench->values("g", {1, 2, -4, 8}), z = bench->values("z", {1, -1, 3, 0});
  const Operand d = bench->values("d", {9, 9, 9, 9});
  Instruction delta = instruction(Opcode::kDelta, 2, 2, 1, {g, z}, {d});
  delta.scale = 0.5;
  delta.activation = Activation::kRelu;
  ASSERT_TRUE(bench->run(delta).ok());
  EXPECT_EQ(bench->read(d), (std::vector<double>{0.5, 0, -2, 0})) << "the slope of relu at 0 is 0";

  delta.activation = Activation::kLeakyRelu;
  ASSERT_TRUE(bench->run(delta).ok());
  expect_close(bench->read(d), {0.5, 0.01, -2, 0.04});
}

TEST_P(DenseInstructions, DeltaRunsEveryActivationAndMayOverwriteTheGap) {
  const std::vector<double> pre{-30, -2, -0.5, 0, 0.5, 2, 30};
  for (int a = 0; a < kActivationCount; ++a) {
    const Operand g = bench->values("g", std::vector<double>(7, 1.0)), z = bench->values("z", pre);
    Instruction delta = instruction(Opcode::kDelta, 7, 1, 1, {g, z}, {g});
    delta.activation = static_cast<Activation>(a);
    ASSERT_TRUE(bench->run(delta).ok());
    std::vector<double> wanted;
    for (const double value : pre) wanted.push_back(activate_derivative(delta.activation, value));
    SCOPED_TRACE(to_string(delta.activation));
    expect_close(bench->read(g), wanted);
  }
}

TEST_P(DenseInstructions, SlopesStayNumbersFarOut) {
  for (int a = 0; a < kActivationCount; ++a) {
    const Operand g = bench->values("g", {1, 1, 1, 1}), z = bench->values("z", {-1e25, 1e25, -200, 200});
    Instruction delta = instruction(Opcode::kDelta, 4, 1, 1, {g, z}, {g});
    delta.activation = static_cast<Activation>(a);
    ASSERT_TRUE(bench->run(delta).ok());
    for (const double slope : bench->read(g)) EXPECT_TRUE(std::isfinite(slope)) << to_string(delta.activation);
  }
}

TEST_P(DenseInstructions, GradInputOverwritesOrAdds) {
  const Operand d = bench->values("d", {1, -2}), w = bench->values("W", {1, 2, 3, 4, 5, 6});
  const Operand gx = bench->values("gx", {100, 100, 100});
  Instruction grad = instruction(Opcode::kGradInput, 1, 2, 3, {d, w}, {gx});
  ASSERT_TRUE(bench->run(grad).ok());
  EXPECT_EQ(bench->read(gx), (std::vector<double>{-7, -8, -9}));
  grad.accumulate = true;
  ASSERT_TRUE(bench->run(grad).ok());
  EXPECT_EQ(bench->read(gx), (std::vector<double>{-14, -16, -18}));
}

TEST_P(DenseInstructions, WeightGradSumsOverTheBatch) {
  const Operand d = bench->values("d", {1, 2, 3, 4}), x = bench->values("x", {1, 0, -1, 2, 1, 1});
  const Operand dw = bench->values("dW", {7, 7, 7, 7, 7, 7});
  Instruction grad = instruction(Opcode::kWeightGrad, 2, 2, 3, {d, x}, {dw});
  ASSERT_TRUE(bench->run(grad).ok());
  EXPECT_EQ(bench->read(dw), (std::vector<double>{7, 3, 2, 10, 4, 2}));
  grad.accumulate = true;
  ASSERT_TRUE(bench->run(grad).ok());
  EXPECT_EQ(bench->read(dw), (std::vector<double>{14, 6, 4, 20, 8, 4}));
}

TEST_P(DenseInstructions, BiasGradSumsColumns) {
  const Operand d = bench->values("d", {1, 2, 3, 4, 5, 6}), db = bench->values("db", {9, 9});
  Instruction grad = instruction(Opcode::kBiasGrad, 3, 2, 1, {d}, {db});
  ASSERT_TRUE(bench->run(grad).ok());
  EXPECT_EQ(bench->read(db), (std::vector<double>{9, 12}));
  grad.accumulate = true;
  ASSERT_TRUE(bench->run(grad).ok());
  EXPECT_EQ(bench->read(db), (std::vector<double>{18, 24}));
}

TEST_P(DenseInstructions, UpdateStepsDownTheGradientByRateTimesScale) {
  const Operand d = bench->values("d", {1, 2, 3, 4}), x = bench->values("x", {1, 0, -1, 2, 1, 1});
  const Operand w = bench->values("W", {1, 1, 1, 1, 1, 1}), b = bench->values("b", {1, 1});
  Instruction update = instruction(Opcode::kUpdate, 2, 2, 3, {d, x}, {w});
  Instruction bias = instruction(Opcode::kBiasUpdate, 2, 2, 1, {d}, {b});
  update.scale = bias.scale = 0.5;
  ASSERT_TRUE(bench->run({update, bias}, {.lr = 0.25}).ok());
  EXPECT_EQ(bench->read(w), (std::vector<double>{0.125, 0.625, 0.75, -0.25, 0.5, 0.75}));  // 1 - dW/8
  EXPECT_EQ(bench->read(b), (std::vector<double>{0.5, 0.25}));                             // 1 - {4, 6}/8
}

TEST(DenseOnCpu, SumsInDoubleAndRoundsOnce) {
  Bench bench("cpu");
  // In float 1e8 + 1 - 1e8 is 0.
  const Operand x = bench.values("x", {1e8, 1, -1e8}), w = bench.values("W", {1, 1, 1});
  const Operand z = bench.values("z", {0}), y = bench.values("y", {0});
  ASSERT_TRUE(bench.run(instruction(Opcode::kForward, 1, 1, 3, {x, w}, {z, y})).ok());
  EXPECT_EQ(bench.read(z), std::vector<double>{1});
}

TEST(DenseOnCpu, ActivationSeesTheRoundedPreActivation) {
  Bench bench("cpu");
  // -(2^24 + 1) rounds to -2^24 in float; a hundredth of the one and of the other are two different floats.
  const Operand x = bench.values("x", {-16777216, -1}), w = bench.values("W", {1, 1});
  const Operand z = bench.values("z", {0}), y = bench.values("y", {0});
  Instruction forward = instruction(Opcode::kForward, 1, 1, 2, {x, w}, {z, y});
  forward.activation = Activation::kLeakyRelu;
  ASSERT_TRUE(bench.run(forward).ok());
  EXPECT_EQ(bench.read(z), std::vector<double>{-16777216});
  EXPECT_EQ(bench.read(y), std::vector<double>{-167772.15625});
}

}  // namespace
}  // namespace weft::test
