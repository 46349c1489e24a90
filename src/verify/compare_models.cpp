// The models that devices are compared on.
#include "src/verify/compare.h"

namespace weft::verify {
namespace {

constexpr std::int64_t kBatch = 5;

Dense biased(std::int64_t in, std::int64_t out, Activation activation) {
  return dense(in, out, activation, {.bias = true});
}

Stack mlp() {
  return {biased(7, 9, relu), dense(9, 6, silu), biased(6, 8, gelu), dense(8, 5, sigmoid), biased(5, 4, linear)};
}

Stack equal_widths() { return {dense(6, 6, tanh), biased(6, 6, leakyrelu), dense(6, 6, relu2), dense(6, 6)}; }

Stack nested() {
  return {biased(6, 5, tanh), stack({dense(5, 5, silu), stack({biased(5, 7, relu), dense(7, 4, tanh)})}), dense(4, 3)};
}

Stack parallels(Combine combine) {
  std::vector<Op> branches{biased(5, 4, tanh), stack({dense(5, 6, gelu), dense(6, 4, silu)}), dense(5, 4)};
  Op joined = combine == Combine::kFilter ? Op(filter(std::move(branches), biased(5, 3, linear)))
                                          : Op(parallel(combine, std::move(branches)));
  return {biased(6, 5, tanh), std::move(joined), dense(combine == Combine::kConcat ? 12 : 4, 3)};
}

Stack residuals() {
  return {dense(6, 5, tanh), residual({biased(5, 7, relu), dense(7, 5, tanh)}), flatten(), view({kBatch, 5}),
          dense(5, 3)};
}

Stack mixed_modes() {
  const Mode tween{Schedule::kStack, Rule::kTween}, split{Schedule::kStack, Rule::kSplit};
  Stack model{dense(6, 5, tanh),
              parallel(Combine::kAdd, {dense(5, 5, tanh), biased(5, 5, silu)}, {tween, std::nullopt}),
              stack({dense(5, 5, gelu), biased(5, 3, linear)})};
  model.child_modes = {std::nullopt, std::nullopt, split};
  return model;
}

/// A chain behind a disabled ingress.
Grid chain(std::vector<Op> ops) {
  Grid grid(static_cast<std::int64_t>(ops.size()) + 1, 1, 1, 1);
  grid.cells[0].disabled = true;
  for (std::size_t i = 0; i < ops.size(); ++i) grid.cells[i + 1].op = std::move(ops[i]);
  return grid;
}

/// A disabled cell in the middle, and the last cell reads the first layer's.
Grid linked() {
  Grid grid(1, 5, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = biased(5, 5, tanh);
  grid.cells[2].op = dense(5, 5, silu);
  grid.cells[3].disabled = true;
  grid.cells[4].op = dense(5, 5);
  grid.cells[4].remote_link = 1;
  return grid;
}

/// Cell 0 reads the last cell: a loop.
Grid ring() {
  Grid grid(3, 1, 1, 1);
  grid.cells[0].op = dense(5, 5, tanh);
  grid.cells[0].remote_link = 2;
  grid.cells[1].op = biased(5, 5, gelu);
  grid.cells[2].op = dense(5, 5);
  return grid;
}

}  // namespace

std::vector<CompareModel> compare_models() {
  const auto ce = Loss::kCrossEntropy;
  std::vector<CompareModel> models{
      {"mlp, mse", mlp(), mse, {kBatch, 7}, {kBatch, 4}},
      {"mlp, ce", mlp(), ce, {kBatch, 7}, {kBatch, 4}},
      {"equal widths", equal_widths(), mse, {1, 6}, {1, 6}},
      {"nested stack", nested(), ce, {kBatch, 6}, {kBatch, 3}},
      {"residual", residuals(), mse, {kBatch, 6}, {kBatch, 3}},
      {"rank 3", nested(), ce, {2, 3, 6}, {2, 3, 3}},
      {"mixed modes", mixed_modes(), mse, {kBatch, 6}, {kBatch, 3}},
      {"grid, mse",
       chain({biased(7, 6, tanh), dense(6, 5, relu), biased(5, 4, linear)}),
       mse,
       {kBatch, 7},
       {kBatch, 4},
       5},
      {"grid, ce", chain({biased(7, 6, gelu), stack({dense(6, 5, silu), dense(5, 4)})}), ce, {kBatch, 7}, {kBatch, 4}},
      {"grid, remote link", linked(), mse, {kBatch, 5}, {kBatch, 5}, 6},
      {"grid, loop", ring(), mse, {kBatch, 5}, {kBatch, 5}, 6},
  };
  for (const Combine combine : {Combine::kAdd, Combine::kAvg, Combine::kConcat, Combine::kFilter}) {
    models.push_back(
        {"parallel " + std::string(to_string(combine)), parallels(combine), mse, {kBatch, 6}, {kBatch, 3}});
  }
  return models;
}

}  // namespace weft::verify
