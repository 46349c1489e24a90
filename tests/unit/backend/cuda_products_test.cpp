// Every product by a kernel of tensor cores that finishes what the program does next, or by cuBLASLt, however small:
// every mode trains as cpu does, and gives the same bits in one run of calls and in many.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/support/fitted.h"
#include "tests/support/insist.h"
#include "tests/unit/backend/on_cuda.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct Maker {
  const char* name;
  Precision precision;
};

void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name << ' ' << to_string(maker.precision); }

class CudaProducts : public OnCuda<Maker> {
 protected:
  static constexpr std::int64_t kBatch = 24;

  /// No width is a multiple of a tile's; all make rows of 16 bytes.
  static TestModel net(Schedule schedule) {
    TestModel made = chain(
        schedule, {dense(20, 36, Activation::kTanh, {.bias = true}), dense(36, 36, Activation::kSilu),
                   residual({dense(36, 100, Activation::kRelu, {.bias = true}), dense(100, 36, Activation::kTanh)}),
                   parallel(Combine::kAdd, {dense(36, 12, Activation::kGelu), dense(36, 12)}),
                   dense(12, 72, Activation::kSigmoid), dense(72, 8, Activation::kLinear)});
    std::visit([](auto& root) { root.initialise({.seed = 5}).value(); }, made.root);
    return made;
  }

  const Insist steps_{"WEFT_CUDA_WAY", "steps"};
  const Insist products_{"WEFT_CUDA_PRODUCTS", GetParam().name};
};

TEST_P(CudaProducts, EveryModeTrainsAsCpuDoes) {
  const double rounded = kGoldenLoss + kRoundedLoss * rounding(GetParam().precision);
  for (const Mode mode : all_modes()) {
    SCOPED_TRACE(to_string(mode));
    const TestModel model = net(mode.schedule);
    Trainer cpu(model, on("cpu")), gpu(model, on("cuda", GetParam().precision));
    for (std::uint64_t call = 0; call < kManyCalls; ++call) {
      const TrainResult wanted = cpu.train(mode, call, 0.01, kBatch, 2), seen = gpu.train(mode, call, 0.01, kBatch, 2);
      EXPECT_EQ(seen.filling, wanted.filling);
      EXPECT_NEAR(seen.loss, wanted.loss, rounded * wanted.loss) << "call " << call;
    }
    if (GetParam().precision == Precision::kFloat32) expect_weights(gpu.weights(), cpu.weights(), kManyCalls, 100);
  }
}

TEST_P(CudaProducts, ManyCallsAreTheCallsOneByOne) {
  for (const char* mode : {"NormalBP", "StepTweenSplit", "TweenAlt", "MeshBP"}) {
    SCOPED_TRACE(mode);
    const TestModel model = net(parse_mode(mode).value().schedule);
    Trainer together(model, on("cuda", GetParam().precision)), apart(model, on("cuda", GetParam().precision));
    constexpr std::int64_t kCalls = 90;
    const data::Samples samples{together.input(1, kBatch * kCalls), together.target(2, kBatch * kCalls), {}};
    std::vector<std::int64_t> order(kBatch * kCalls);
    std::iota(order.rbegin(), order.rend(), 0);
    FitOptions options{.mode = mode, .lr = 0.1, .batch = kBatch, .order = order};
    options.ticks = model.ticks;
    const auto before = together.weights();
    together.session().fit(samples, options).value();
    for (std::int64_t call = 0; call < kCalls; ++call) {
      options.order = std::span(order).subspan(static_cast<std::size_t>(call * kBatch), kBatch);
      apart.session().fit(samples, options).value();
    }
    EXPECT_EQ(together.weights(), apart.weights());
    EXPECT_NE(together.weights(), before);
  }
}

TEST_P(CudaProducts, AnUnknownNameIsRefused) {
  const Insist insist("WEFT_CUDA_PRODUCTS", "tensor");
  Trainer trainer(net(Schedule::kStack), on("cuda", GetParam().precision));
  const auto result = trainer.session().train(trainer.input(1), trainer.target(2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result.status().message(), HasSubstr("WEFT_CUDA_PRODUCTS: seen 'tensor'"));
}

INSTANTIATE_TEST_SUITE_P(Each, CudaProducts,
                         testing::Values(Maker{"fused", Precision::kFloat32}, Maker{"fused", Precision::kTf32},
                                         Maker{"fused", Precision::kBfloat16}, Maker{"cublas", Precision::kFloat32},
                                         Maker{"cublas", Precision::kTf32}, Maker{"cublas", Precision::kBfloat16}),
                         [](const auto& info) {
                           return std::string(info.param.name) + "_" + std::string(to_string(info.param.precision));
                         });

}  // namespace
}  // namespace weft::test
