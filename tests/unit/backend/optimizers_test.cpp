// apply under each optimizer, two steps by hand.
#include "tests/unit/backend/device_test.h"

namespace weft::test {
namespace {

class OptimizerInstructions : public DeviceTest {
 protected:
  /// p after `steps` times apply with dp = {1, -2}, lr 0.1, scale 0.5 (rate 0.05), from p = {1, 1}.
  std::vector<double> stepped(const Optimizer& optimizer, int steps) {
    bench->program().optimizer = optimizer;
    const Operand dp = bench->values("dp", {1, -2}), p = bench->values("p", {1, 1});
    const Operand v = bench->values("v", {0, 0}), v2 = bench->values("v2", {0, 0}), step = bench->counter("step", 0);
    Instruction apply = instruction(Opcode::kApply, 1, 2, 1, {dp, step}, {p, v, v2});
    apply.scale = 0.5;
    const Instruction count = instruction(Opcode::kCount, 1, 1, 1, {}, {step});
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(bench->run({count, apply}, {.lr = 0.1}).ok());
    return bench->read(p);
  }
};
WEFT_ON_EVERY_DEVICE(OptimizerInstructions);

TEST_P(OptimizerInstructions, Sgd) { expect_close(stepped(sgd(), 2), {0.9, 1.2}); }

TEST_P(OptimizerInstructions, SgdNeedsNoState) {
  bench->program().optimizer = sgd();
  const Operand dp = bench->values("dp", {1}), p = bench->values("p", {1});
  ASSERT_TRUE(bench->run(instruction(Opcode::kApply, 1, 1, 1, {dp}, {p}), {.lr = 0.25}).ok());
  EXPECT_EQ(bench->read(p), std::vector<double>{0.75});
}

TEST_P(OptimizerInstructions, Momentum) {
  // v: 1, 1.5; p: 1 - 0.05 - 0.075. The second component has -2 times that.
  expect_close(stepped(momentum(0.5), 2), {0.875, 1.25});
}

TEST_P(OptimizerInstructions, Nesterov) {
  // dp + m v: 1 + 0.5 = 1.5, then 1 + 0.75 = 1.75; p: 1 - 0.05 * 3.25.
  expect_close(stepped(nesterov(0.5), 2), {0.8375, 1.325});
}

TEST_P(OptimizerInstructions, AdamW) {
  // With a constant gradient both corrected moments are g and g^2 at every step, so Adam moves by rate * sign(g):
  // p <- p (1 - 0.05 * 0.1) -+ 0.05.
  Optimizer optimizer = adamw(0.1);
  optimizer.epsilon = 0;
  const double keep = 1 - 0.05 * 0.1;
  expect_close(stepped(optimizer, 1), {keep - 0.05, keep + 0.05});
  expect_close(stepped(optimizer, 2), {(keep - 0.05) * keep - 0.05, (keep + 0.05) * keep + 0.05});
}

TEST_P(OptimizerInstructions, WeightDecayStandsBesideEveryStep) {
  // One step at rate 0.05 from p = {1, 1}: what it gives without decay, less rate * decay * p.
  for (Optimizer optimizer : {sgd(), momentum(0.5), nesterov(0.5), adamw(0.0)}) {
    std::vector<double> wanted = stepped(optimizer, 1);
    for (double& value : wanted) value -= 0.05 * 0.2;
    optimizer.weight_decay = 0.2;
    expect_close(stepped(optimizer, 1), wanted);
  }
}

TEST_P(OptimizerInstructions, AdamWFollowsTheFormulaForAChangingGradient) {
  bench->program().optimizer = adamw(0.01);
  const Operand p = bench->values("p", {0.5}), v = bench->values("v", {0}), v2 = bench->values("v2", {0});
  const Operand step = bench->counter("step", 0);
  double wanted = 0.5, m = 0, s = 0;
  int t = 0;
  for (const double g : {0.3, -0.2, 0.05}) {
    const Operand dp = bench->values("dp", {g});
    ASSERT_TRUE(bench
                    ->run({instruction(Opcode::kCount, 1, 1, 1, {}, {step}),
                           instruction(Opcode::kApply, 1, 1, 1, {dp, step}, {p, v, v2})},
                          {.lr = 0.1})
                    .ok());
    ++t;
    m = 0.9 * m + 0.1 * g;
    s = 0.999 * s + 0.001 * g * g;
    wanted -= 0.1 * 0.01 * wanted;
    wanted -= 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(s / (1 - std::pow(0.999, t))) + 1e-8);
  }
  EXPECT_EQ(bench->read_counter(step), 3u);
  expect_close(bench->read(p), {wanted});
}

}  // namespace
}  // namespace weft::test
