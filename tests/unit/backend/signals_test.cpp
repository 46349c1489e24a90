// scale, subtract, zero, project, copy_columns, softmax, softmax_grad, scale_rows, row_dot by hand-computed values.
#include "tests/unit/backend/device_test.h"

namespace weft::test {
namespace {

class SignalInstructions : public DeviceTest {
 protected:
  std::vector<double> projected(const std::vector<double>& x, std::int64_t wanted, double scale = 1.0) {
    const Operand from = bench->values("x" + std::to_string(x.size()), x);
    const Operand to =
        bench->values("y" + std::to_string(wanted), std::vector<double>(static_cast<std::size_t>(wanted), 9));
    Instruction project = instruction(Opcode::kProject, 1, wanted, static_cast<std::int64_t>(x.size()), {from}, {to});
    project.scale = scale;
    EXPECT_TRUE(bench->run(project).ok());
    return bench->read(to);
  }
};
WEFT_ON_EVERY_DEVICE(SignalInstructions);

TEST_P(SignalInstructions, ScaleByConstantAndByReal) {
  const Operand x = bench->values("x", {1, -2, 3}), y = bench->values("y", {10, 10, 10}), f = bench->real("f", 4);
  Instruction scale = instruction(Opcode::kScale, 1, 3, 1, {x}, {y});
  scale.scale = 0.5;
  ASSERT_TRUE(bench->run(scale).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{0.5, -1, 1.5}));
  scale.in[1] = f;
  scale.accumulate = true;
  ASSERT_TRUE(bench->run(scale).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{2.5, -5, 7.5}));
}

TEST_P(SignalInstructions, ScaleByOneCopiesBits) {
  const std::vector<double> odd{0.1f, -0.0, 3e38f, 1e-40f};
  const Operand x = bench->values("x", odd), y = bench->values("y", {9, 9, 9, 9});
  ASSERT_TRUE(bench->run(instruction(Opcode::kScale, 1, 4, 1, {x}, {y})).ok());
  EXPECT_EQ(bench->read(y), bench->read(x));
}

TEST_P(SignalInstructions, SubtractAndZero) {
  const Operand x = bench->values("x", {1, 5}), w = bench->values("w", {3, 2}), y = bench->values("y", {9, 9});
  ASSERT_TRUE(bench->run(instruction(Opcode::kSubtract, 1, 2, 1, {x, w}, {y})).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{-2, 3}));
  ASSERT_TRUE(bench->run(instruction(Opcode::kZero, 2, 1, 1, {}, {y})).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{0, 0}));
}

TEST_P(SignalInstructions, ProjectDown) {
  expect_close(projected({1, 2, 3, 4, 5, 6}, 2), {2, 5});
  expect_close(projected({1, 2, 3, 4, 5}, 2, 2.0), {3, 8});    // [0,2) and [2,5)
  expect_close(projected({1, 2, 3, 4, 5}, 3), {1, 2.5, 4.5});  // [0,1) [1,3) [3,5)
  expect_close(projected({1, 2, 3, 4, 5, 6, 7}, 1), {4});
}

TEST_P(SignalInstructions, ProjectUp) {
  expect_close(projected({1, 2}, 4), {1, 1, 2, 2});
  expect_close(projected({1, 2, 4}, 5), {1, 1, 2, 2, 4});  // lo = 0 0 1 1 2, one element each
  expect_close(projected({3}, 3, -1.0), {-3, -3, -3});
}

TEST_P(SignalInstructions, ProjectToEqualSizeCopies) {
  const std::vector<double> odd{0.1f, -0.25, 3};
  EXPECT_EQ(projected(odd, 3), odd);
}

TEST_P(SignalInstructions, CopyColumnsLeavesTheRestOfTheRow) {
  const Operand x = bench->values("x", {1, 2, 3, 4, 5, 6}), y = bench->values("y", {9, 9, 9, 9, 9, 9, 9, 9});
  Instruction copy = instruction(Opcode::kCopyColumns, 2, 2, 3, {x}, {y});
  copy.in_at = 1, copy.out_at = 2, copy.width = 4;
  ASSERT_TRUE(bench->run(copy).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{9, 9, 2, 3, 9, 9, 5, 6}));
  copy.accumulate = true;
  copy.scale = 10;
  ASSERT_TRUE(bench->run(copy).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{9, 9, 22, 33, 9, 9, 55, 66}));
}

TEST_P(SignalInstructions, SoftmaxSurvivesLargeValues) {
  const Operand x = bench->values("x", {0, std::log(3.0), 1000, 1000}), y = bench->values("y", {9, 9, 9, 9});
  ASSERT_TRUE(bench->run(instruction(Opcode::kSoftmax, 2, 2, 1, {x}, {y})).ok());
  expect_close(bench->read(y), {0.25, 0.75, 0.5, 0.5});
}

TEST_P(SignalInstructions, SoftmaxGrad) {
  const Operand y = bench->values("y", {0.25, 0.75, 0.5, 0.5}), dy = bench->values("dy", {1, 2, -4, 4});
  const Operand dx = bench->values("dx", {9, 9, 9, 9});
  ASSERT_TRUE(bench->run(instruction(Opcode::kSoftmaxGrad, 2, 2, 1, {y, dy}, {dx})).ok());
  expect_close(bench->read(dx), {-0.1875, 0.1875, -2, 2});  // row sums 1.75 and 0
  ASSERT_TRUE(bench->run(instruction(Opcode::kSoftmaxGrad, 2, 2, 1, {y, dy}, {dy})).ok());
  expect_close(bench->read(dy), {-0.1875, 0.1875, -2, 2});
}

TEST_P(SignalInstructions, ScaleRowsByAColumnOfWeights) {
  const Operand x = bench->values("x", {1, 2, 3, 4}), w = bench->values("w", {0, 0, 5, 0, 0, -1});
  const Operand y = bench->values("y", {9, 9, 9, 9});
  Instruction scale = instruction(Opcode::kScaleRows, 2, 2, 1, {x, w}, {y});
  scale.width = 3, scale.in_at = 2, scale.scale = 2;
  ASSERT_TRUE(bench->run(scale).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{10, 20, -6, -8}));
  scale.accumulate = true;
  ASSERT_TRUE(bench->run(scale).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{20, 40, -12, -16}));
}

TEST_P(SignalInstructions, RowDotWritesOneColumn) {
  const Operand x = bench->values("x", {1, 2, 3, 4, 5, 6}), w = bench->values("w", {1, 1, 1, 2, 0, -1});
  const Operand y = bench->values("y", {9, 9, 9, 9});
  Instruction dot = instruction(Opcode::kRowDot, 2, 3, 1, {x, w}, {y});
  dot.width = 2, dot.out_at = 1;
  ASSERT_TRUE(bench->run(dot).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{9, 6, 9, 2}));
}

}  // namespace
}  // namespace weft::test
