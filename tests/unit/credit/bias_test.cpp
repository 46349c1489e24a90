// Every rule moves a bias by the column sums of the signal that moves its weights.
#include <gtest/gtest.h>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

Dense biased(std::int64_t in, std::int64_t out, Activation activation, std::uint64_t seed) {
  return dense(in, out, activation,
               {.dtype = DType::kFloat64,
                .weight = random_tensor({out, in}, out, seed, DType::kFloat64),
                .bias_values = random_tensor({out}, out, seed + 10, DType::kFloat64)});
}

class Bias : public testing::TestWithParam<ModeParam> {};
WEFT_FOR_EVERY_MODE(Bias);

/// With one sample dW[o,i] = d[o] x[i] and db[o] = d[o].
TEST_P(Bias, MovesWithItsWeights) {
  const Mode mode = GetParam().mode;
  constexpr std::size_t kWidths[] = {3, 4, 3, 2};
  const TestModel model =
      chain(mode.schedule, {biased(3, 4, tanh, 1), biased(4, 3, leakyrelu, 2), biased(3, 2, linear, 3)});
  Trainer trainer(model);
  const bool mesh = mode.schedule == Schedule::kMesh;
  for (std::uint64_t call = 0; call < 4; ++call) {
    const auto before = trainer.weights();
    const Tensor input = trainer.input(call, 1);
    // The inputs of the leaves: what the leaves before them make of this one.
    std::vector<Tensor> inputs{input};
    for (int leaf = 0; leaf < 2; ++leaf) {
      std::vector<Op> head;
      for (const Dense* op :
           std::visit([](const auto& root) { return leaves(root); }, std::as_const(trainer.model().root)))
        if (static_cast<int>(head.size()) <= leaf) head.emplace_back(*op);
      inputs.push_back(Trainer(chain(Schedule::kStack, std::move(head))).forward(input));
    }
    // A target near the output: the links of the mesh have budgets.
    Tensor target = trainer.forward(input);
    for (double& value : target.mutable_values<double>()) value *= 1.5;
    trainer.train(mode, input, target, 0.05);
    trainer.session().flush().value();
    const auto after = trainer.weights();
    double largest = 0.0;
    // Alt moves twice, on two tapes: only the first leaf's input is the same on both.
    for (std::size_t leaf = 0; leaf < (mode.rule == Rule::kAlt ? 1U : 3U); ++leaf) {
      const std::size_t in = kWidths[leaf], out = kWidths[leaf + 1];
      for (std::size_t o = 0; o < out; ++o) {
        const double db = after[leaf][in * out + o] - before[leaf][in * out + o];
        largest = std::max(largest, std::abs(db));
        for (std::size_t i = 0; i < in; ++i) {
          const double dw = after[leaf][o * in + i] - before[leaf][o * in + i];
          EXPECT_NEAR(dw, db * inputs[leaf].at(static_cast<std::int64_t>(i)),
                      tolerance(OpClass::kTranscendental, DType::kFloat64, 1.0))
              << "leaf " << leaf + 1 << " output " << o << " input " << i << (mesh ? " on the mesh" : "");
        }
      }
    }
    EXPECT_GT(largest, 1e-6) << "no bias moved";
  }
}

}  // namespace
}  // namespace weft::test
