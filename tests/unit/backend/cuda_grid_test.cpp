// Training by a grid of blocks against the cpu device: weights cut into tiles, all kinds of exchange between blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

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

/// A launch of many calls keeps on chip what launches of one call fetch anew.
class CudaGridLaunch : public OnCuda<Mode> {};

TEST_P(CudaGridLaunch, OfManyCallsIsTheCallsOneByOne) {
  constexpr std::int64_t kBatch = 12, kCalls = 24;  // past the 20 calls after which LinearCache refreshes
  const Insist insist("WEFT_CUDA_WAY", "grid");
  // First layers whose weights lie whole in each block, and first layers that are cut into tiles.
  for (const std::int64_t in : {12, 200}) {
    SCOPED_TRACE(in);
    TestModel model =
        chain(GetParam().schedule, {dense(in, 70, Activation::kTanh), dense(70, 9, Activation::kTanh), dense(9, 4)});
    std::visit([](auto& root) { root.initialise().value(); }, model.root);
    Trainer cpu(model, {.device = "cpu"}), together(model, {.device = "cuda"}), apart(model, {.device = "cuda"});
    const data::Samples samples{cpu.input(1, kBatch * kCalls), cpu.target(2, kBatch * kCalls), {}};
    std::vector<std::int64_t> order(kBatch * kCalls);
    std::iota(order.rbegin(), order.rend(), 0);
    FitOptions options{.mode = GetParam(), .lr = 0.05, .batch = kBatch, .order = order};
    options.ticks = model.ticks;
    cpu.session().fit(samples, options).value();
    together.session().fit(samples, options).value();
    for (std::int64_t call = 0; call < kCalls; ++call) {
      options.order = std::span(order).subspan(static_cast<std::size_t>(call * kBatch), kBatch);
      apart.session().fit(samples, options).value();
    }
    EXPECT_EQ(together.weights(), apart.weights());
    expect_weights(together.weights(), cpu.weights(), kCalls, in);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, CudaGridLaunch, testing::ValuesIn(all_modes().begin(), all_modes().end()),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace weft::test
