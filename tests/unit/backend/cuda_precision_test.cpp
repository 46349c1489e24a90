// Large products on a GPU in every precision: as close to cpu as their factors' digits allow, the same in one call and
// in many, and never a step after a loss that is not finite.
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"
#include "tests/unit/backend/bench.h"
#include "tests/unit/backend/on_cuda.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

constexpr std::int64_t kWidth = 256, kBatch = 96;  // products of 12 million operations

class CudaPrecision : public OnCuda<Precision> {
 protected:
  static TestModel net(Schedule schedule, Activation hidden = Activation::kTanh) {
    TestModel made = chain(schedule, {dense(kWidth, kWidth, hidden, {.bias = true}), dense(kWidth, kWidth, hidden),
                                      dense(kWidth, kWidth, Activation::kLinear)});
    std::visit([](auto& root) { root.initialise().value(); }, made.root);
    return made;
  }

  static std::vector<double> numbers(std::int64_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = random.uniform(-1.0, 1.0);
    return values;
  }
};

TEST_P(CudaPrecision, ProductsAgreeWithCpu) {
  constexpr std::int64_t kM = 130, kN = 254, kK = 321;
  const auto run = [&](const char* device, Precision precision, Opcode op, std::array<std::int64_t, 3> sizes) {
    BackendOptions options(DType::kFloat32);
    options.precision = precision;
    const auto backend = create_backend(device, options).value();
    BufferTable buffers;
    std::vector<Operand> operands;
    const auto add = [&](const char* name, std::int64_t count, std::uint64_t seed) {
      operands.push_back({buffers.require(name, Element::kStorage, Role::kParameter, count)});
      backend->reserve(buffers).value();
      const auto values = numbers(count, seed);
      const std::vector<float> stored(values.begin(), values.end());
      backend->write(operands.back().buffer, 0, stored.data(), stored.size() * sizeof(float)).value();
    };
    add("a", sizes[0], 1), add("b", sizes[1], 2), add("out", sizes[2], 3), add("spare", sizes[2], 4);
    Program program;
    program.code = {instruction(op, kM, kN, kK, {operands[0], operands[1]}, {operands[2]})};
    if (op == Opcode::kForward) program.code[0].out[1] = operands[3];
    EXPECT_TRUE(backend->run(program, {.lr = 0.5}).ok());
    std::vector<float> seen(static_cast<std::size_t>(sizes[2]));
    backend->read(operands[2].buffer, 0, seen.data(), seen.size() * sizeof(float)).value();
    return seen;
  };
  const auto compare = [&](Opcode op, std::array<std::int64_t, 3> sizes, std::int64_t terms) {
    SCOPED_TRACE(to_string(op));
    const auto wanted = run("cpu", Precision::kFloat32, op, sizes), seen = run("cuda", GetParam(), op, sizes);
    const double magnitude = std::sqrt(static_cast<double>(terms)) / 3.0;
    const double allowed = tolerance(OpClass::kSum, DType::kFloat32, std::max(magnitude, 1.0), terms) +
                           kRoundedSum * rounding(GetParam()) * magnitude;
    double worst = 0.0, square = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double error = std::abs(static_cast<double>(seen[i]) - wanted[i]);
      worst = std::max(worst, error);
      square += error * error;
    }
    EXPECT_LE(worst, allowed);
    // Rounded they are indeed.
    if (GetParam() != Precision::kFloat32) {
      EXPECT_GT(std::sqrt(square / static_cast<double>(wanted.size())), 0.02 * rounding(GetParam()) * magnitude);
    }
    RecordProperty(std::string(to_string(op)) + "_share", std::to_string(worst / allowed));
  };
  compare(Opcode::kForward, {kM * kK, kN * kK, kM * kN}, kK);
  compare(Opcode::kGradInput, {kM * kN, kN * kK, kM * kK}, kN);
  compare(Opcode::kWeightGrad, {kM * kN, kM * kK, kN * kK}, kM);
  compare(Opcode::kUpdate, {kM * kN, kM * kK, kN * kK}, kM);
}

TEST_P(CudaPrecision, TrainsAsCpuDoes) {
  for (const char* mode :
       {"NormalBP", "TweenSplit", "StepBP", "StepTweenSplitFastProxy", "MeshBP", "TweenSplitSparse"}) {
    SCOPED_TRACE(mode);
    const Mode parsed = parse_mode(mode).value();
    const TestModel model = net(parsed.schedule);
    Trainer cpu(model, on("cpu")), gpu(model, on("cuda", GetParam()));
    for (std::uint64_t call = 0; call < 6; ++call) {
      const TrainResult wanted = cpu.train(parsed, call % 2, 0.5, kBatch),
                        seen = gpu.train(parsed, call % 2, 0.5, kBatch);
      EXPECT_EQ(seen.filling, wanted.filling);
      EXPECT_NEAR(seen.loss, wanted.loss, (kGoldenLoss + kRoundedLoss * rounding(GetParam())) * wanted.loss);
    }
  }
}

/// So many rows that elementwise kernels take several pieces a thread, 36 in a row being no multiple of 8.
TEST_P(CudaPrecision, BatchesOfManyRowsTrainAsCpuDoes) {
  constexpr std::int64_t kRows = 118000;
  TestModel model =
      chain(Schedule::kStack, {dense(8, 40, Activation::kTanh, {.bias = true}), dense(40, 36, Activation::kLinear)});
  std::visit([](auto& root) { root.initialise().value(); }, model.root);
  std::vector<std::int64_t> order(2 * kRows);
  std::iota(order.rbegin(), order.rbegin() + kRows, 0);
  std::iota(order.begin(), order.begin() + kRows, 0);
  for (const char* mode : {"NormalBP", "TweenSplit"}) {
    SCOPED_TRACE(mode);
    Trainer cpu(model, on("cpu")), gpu(model, on("cuda", GetParam()));
    const data::Samples samples{cpu.input(1, kRows), cpu.target(2, kRows), {}};
    const FitOptions options{.mode = mode, .lr = 10.0, .batch = kRows, .order = order};
    const auto before = cpu.weights();
    const double wanted = cpu.session().fit(samples, options).value().loss,
                 seen = gpu.session().fit(samples, options).value().loss;
    EXPECT_NEAR(seen, wanted, (kGoldenLoss + kRoundedLoss * rounding(GetParam())) * wanted);
    const auto of_cpu = cpu.weights(), of_gpu = gpu.weights();
    double moved = 0.0, apart = 0.0, largest = 0.0;
    for (std::size_t leaf = 0; leaf < of_cpu.size(); ++leaf) {
      for (std::size_t i = 0; i < of_cpu[leaf].size(); ++i) {
        largest = std::max(largest, std::abs(of_cpu[leaf][i]));
        moved = std::max(moved, std::abs(of_cpu[leaf][i] - before[leaf][i]));
        apart = std::max(apart, std::abs(of_gpu[leaf][i] - of_cpu[leaf][i]));
      }
    }
    const double allowed = tolerance(OpClass::kSum, DType::kFloat32, largest, kRows) + rounding(GetParam()) * largest;
    EXPECT_LE(apart, allowed);
    EXPECT_GT(moved, 10.0 * allowed);
  }
}

TEST_P(CudaPrecision, ManyCallsAreTheCallsOneByOne) {
  for (const char* mode : {"NormalBP", "StepTweenSplit", "TweenAlt"}) {
    SCOPED_TRACE(mode);
    const TestModel model = net(parse_mode(mode).value().schedule);
    Trainer together(model, on("cuda", GetParam())), apart(model, on("cuda", GetParam()));
    constexpr std::int64_t kCalls = 45;
    data::Samples samples{together.input(1, kBatch * kCalls), together.target(2, kBatch * kCalls), {}};
    std::vector<std::int64_t> order(kBatch * kCalls);
    std::iota(order.rbegin(), order.rend(), 0);
    FitOptions options{.mode = mode, .lr = 0.1, .batch = kBatch, .order = order};
    together.session().fit(samples, options).value();
    for (std::int64_t call = 0; call < kCalls; ++call) {
      options.order = std::span(order).subspan(static_cast<std::size_t>(call * kBatch), kBatch);
      apart.session().fit(samples, options).value();
    }
    EXPECT_EQ(together.weights(), apart.weights());
  }
}

TEST_P(CudaPrecision, ALossThatIsNotFiniteMovesNothing) {
  // Relu lets the numbers grow: the squares of what comes out are beyond float, or that itself is.
  for (const float size : {1e15f, 1e30f}) {
    for (const char* mode : {"NormalBP", "TweenSplit", "TweenSplitFastProxy", "StepBP"}) {
      SCOPED_TRACE(testing::Message() << mode << " " << size);
      const Mode parsed = parse_mode(mode).value();
      const TestModel model = net(parsed.schedule, Activation::kRelu);
      Trainer gpu(model, on("cuda", GetParam()));
      for (std::uint64_t call = 0; call < 4; ++call) gpu.train(parsed, call, 1e-3, kBatch);
      const auto before = gpu.weights();
      Tensor input = gpu.input(9, kBatch);
      for (float& value : input.mutable_values<float>()) value = size * (1.0f + std::abs(value)) * 1e6f;
      TrainResult result;
      for (int call = 0; call < (parsed.schedule == Schedule::kLine ? 3 : 1); ++call) {
        const auto good = gpu.weights();
        result = gpu.train(parsed, input, gpu.target(9, kBatch), 1e-3);
        if (!result.finite) {
          EXPECT_EQ(gpu.weights(), good);
        }
      }
      EXPECT_FALSE(result.finite);
      for (const Numbers& leaf : gpu.weights())
        for (const double weight : leaf) ASSERT_TRUE(std::isfinite(weight));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CudaPrecision,
                         testing::Values(Precision::kFloat32, Precision::kTf32, Precision::kBfloat16),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace weft::test
