// Training by a grid of blocks against the cpu device: weights cut into tiles, all kinds of exchange between blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/backend/backend.h"
#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

/// WEFT_CUDA_WAY for as long as it lives.
class InsistOnGrid {
 public:
  InsistOnGrid() { setenv("WEFT_CUDA_WAY", "grid", 1); }
  ~InsistOnGrid() { unsetenv("WEFT_CUDA_WAY"); }
  InsistOnGrid(const InsistOnGrid&) = delete;
  InsistOnGrid& operator=(const InsistOnGrid&) = delete;
};

class CudaGrid : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto backend = create_backend("cuda", DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  }
};

TEST_P(CudaGrid, TrainsAsCpuDoes) {
  constexpr std::int64_t kBatch = 20, kIn = 200;
  const InsistOnGrid insist;
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
  const std::vector<Numbers> wanted = cpu.weights(), seen = grid.weights();
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) {
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < wanted[leaf].size(); ++i) {
      largest = std::max(largest, std::abs(wanted[leaf][i]));
      worst = std::max(worst, std::abs(seen[leaf][i] - wanted[leaf][i]));
    }
    EXPECT_LE(worst, kManyCalls * tolerance(OpClass::kSum, DType::kFloat32, largest, kIn)) << "leaf " << leaf;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, CudaGrid,
                         testing::Values("NormalBP", "StepBP", "TweenAlt", "MeshTween", "TweenSplitLinearCache",
                                         "StepTweenSplitHeadProxyAsync", "MeshTweenSplitSparse"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace weft::test
