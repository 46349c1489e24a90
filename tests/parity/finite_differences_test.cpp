// BP's step is the derivative of the loss: central differences of the forward pass, in float64.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

double loss_of(Loss loss, const Tensor& output, const Tensor& target) {
  const std::int64_t n = output.shape().features(), rows = output.shape().rows();
  double sum = 0.0;
  for (std::int64_t row = 0; row < rows; ++row) {
    double normal = 0.0;
    for (std::int64_t i = 0; i < n; ++i) normal += std::exp(output.at(row * n + i));
    for (std::int64_t i = 0; i < n; ++i) {
      const double p = output.at(row * n + i), t = target.at(row * n + i);
      sum += loss == Loss::kMse ? (p - t) * (p - t) / static_cast<double>(n) : -t * (p - std::log(normal));
    }
  }
  return sum / static_cast<double>(rows);
}

double& element(Dense& leaf, std::size_t i) {
  const auto weights = leaf.weight.mutable_values<double>();
  return i < weights.size() ? weights[i] : leaf.bias->mutable_values<double>()[i - weights.size()];
}

/// Compares the step of one call at rate 1 with central differences, for every weight and bias.
void expect_derivative(const TestModel& model, Mode mode, Loss loss) {
  const MountOptions options{.device = "cpu", .loss = loss};
  Trainer trainer(model, options);
  const Tensor input = trainer.input(5), target = trainer.target(5);
  const std::vector<Numbers> before = trainer.weights();
  trainer.train(mode, input, target, 1.0);
  ASSERT_TRUE(trainer.session().flush().ok());
  const std::vector<Numbers> after = trainer.weights();
  const auto loss_at = [&](std::size_t leaf, std::size_t i, double step) {
    TestModel moved = model;
    auto all = std::visit([](auto& root) { return leaves(root); }, moved.root);
    element(*all[leaf], i) += step;
    return loss_of(loss, Trainer(moved, options).forward(input), target);
  };
  double largest = 0.0;
  for (std::size_t leaf = 0; leaf < before.size(); ++leaf) {
    for (std::size_t i = 0; i < before[leaf].size(); ++i) {
      const double slope =
          (loss_at(leaf, i, kDifferenceStep) - loss_at(leaf, i, -kDifferenceStep)) / (2.0 * kDifferenceStep);
      ASSERT_NEAR(before[leaf][i] - after[leaf][i], slope, kDifferenceSlope * std::max(1.0, std::abs(slope)))
          << to_string(mode) << " leaf " << leaf + 1 << " element " << i;
      largest = std::max(largest, std::abs(slope));
    }
  }
  EXPECT_GT(largest, 1e-3) << "nothing was there to compare";
}

class FiniteDifferences : public testing::TestWithParam<int> {};

TEST_P(FiniteDifferences, OfStacks) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const TestModel model = random_stack(seed, {.dtype = DType::kFloat64, .smooth = true});
  for (const Loss loss : {Loss::kMse, Loss::kCrossEntropy})
    for (const Schedule schedule : {Schedule::kStack, Schedule::kLine})
      expect_derivative(model, {schedule, Rule::kBP}, loss);
}

TEST_P(FiniteDifferences, OfGridsThroughTheClock) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const TestModel model = random_grid(seed, {.dtype = DType::kFloat64, .smooth = true, .feeds_itself = seed % 3 == 2});
  for (const Loss loss : {Loss::kMse, Loss::kCrossEntropy})
    expect_derivative(model, {Schedule::kMesh, Rule::kBP}, loss);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FiniteDifferences, testing::Range(0, 6));

Dense smooth(std::int64_t in, std::int64_t out, Activation activation, bool bias, std::uint64_t seed) {
  DenseOptions options{.dtype = DType::kFloat64, .weight = random_tensor({out, in}, out, seed, DType::kFloat64)};
  if (bias) options.bias_values = random_tensor({out}, out, seed + 100, DType::kFloat64);
  return dense(in, out, activation, std::move(options));
}

TEST(FiniteDifferencesOf, EachComposite) {
  const Dense a = smooth(4, 3, tanh, true, 1), b = smooth(4, 3, silu, false, 2), c = smooth(3, 2, linear, true, 3);
  const std::vector<Stack> stacks{
      Stack{parallel(Combine::kAdd, {a, b}), c},
      Stack{parallel(Combine::kAvg, {a, b}), c},
      Stack{parallel(Combine::kConcat, {a, b}), smooth(6, 2, gelu, true, 4)},
      Stack{filter({a, b}, smooth(4, 2, tanh, true, 5)), c},
      Stack{residual({smooth(4, 5, sigmoid, true, 6), smooth(5, 4, tanh, false, 7)}), a, c},
      Stack{residual({filter({smooth(4, 4, tanh, true, 8), stack({a, smooth(3, 4, tanh, false, 9)})},
                             smooth(4, 2, linear, false, 10))}),
            a, c},
  };
  for (const Stack& root : stacks)
    expect_derivative({root, {1, 4}, {1, 2}, 1}, {Schedule::kStack, Rule::kBP}, Loss::kMse);
}

TEST(FiniteDifferencesOf, ARemoteLinkAndADisabledCellThatHasOne) {
  Grid grid(5, 1, 1, 1);
  grid.cells[0].disabled = true;
  for (std::size_t c : {1U, 2U, 4U}) grid.cells[c].op = smooth(4, 4, c == 2 ? silu : tanh, true, 20 + c);
  grid.cells[3].disabled = true;
  grid.cells[3].remote_link = 1;  // ignored: value and gradient are the cell's before it
  grid.cells[1].remote_link = 4;  // never filled from there before the output is
  grid.cells[2].remote_link = 0;
  expect_derivative({grid, {1, 4}, {1, 4}, 6}, {Schedule::kMesh, Rule::kBP}, Loss::kMse);
  grid.cells[1].remote_link.reset();
  grid.cells[4].remote_link = 1;  // a short cut past two cells
  expect_derivative({grid, {1, 4}, {1, 4}, 6}, {Schedule::kMesh, Rule::kBP}, Loss::kMse);
  grid.cells[4].remote_link.reset();
  grid.cells[2].remote_link = 4;  // a ring that the input never enters
  grid.cells[3].disabled = false;
  grid.cells[3].op = smooth(4, 4, tanh, false, 31);
  grid.cells[3].remote_link = 1;
  expect_derivative({grid, {1, 4}, {1, 4}, 7}, {Schedule::kMesh, Rule::kBP}, Loss::kMse);
}

}  // namespace
}  // namespace weft::test
