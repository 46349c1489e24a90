// Training by a grid of blocks against the cpu device: weights cut into tiles, all kinds of exchange between blocks.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fitted.h"
#include "tests/support/insist.h"
#include "tests/unit/backend/on_cuda.h"

namespace weft::test {
namespace {

class CudaGrid : public OnCuda<const char*> {};

TEST_P(CudaGrid, TrainsAsCpuDoes) {
  constexpr std::int64_t kBatch = 20, kIn = 200;
  const Insist insist("WEFT_CUDA_WAY", "grid");
  const Mode mode = parse_mode(GetParam()).value();
  // 70 x 200 weights are cut into tiles of blocks, 5 x 70 lie whole in each.
  TestModel model =
      chain(mode.schedule, {dense(kIn, 70, Activation::kTanh, {.bias = true}), dense(70, 5, Activation::kLinear)});
  std::visit([](auto& root) { root.initialise().value(); }, model.root);
  Trainer cpu(model, {.device = "cpu"}), grid(model, {.device = "cuda"});
  for (std::uint64_t call = 0; call < kManyCalls; ++call) {
    const TrainResult wanted = cpu.train(mode, call, 0.05, kBatch), seen = grid.train(mode, call, 0.05, kBatch);
    EXPECT_EQ(seen.filling, wanted.filling);
    EXPECT_NEAR(seen.loss, wanted.loss,
                kManyCalls * tolerance(OpClass::kSum, DType::kFloat32, std::abs(wanted.loss), kIn));
  }
  expect_weights(grid.weights(), cpu.weights(), kManyCalls, kIn);
}

INSTANTIATE_TEST_SUITE_P(Modes, CudaGrid,
                         testing::Values("NormalBP", "StepBP", "TweenAlt", "MeshTween", "TweenSplitLinearCache",
                                         "StepTweenSplitHeadProxyAsync", "MeshTweenSplitSparse"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace weft::test
