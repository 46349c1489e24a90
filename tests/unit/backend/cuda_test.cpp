// What is particular to the cuda device: many tiles and blocks, the same bits every time, what it refuses.
#include <gmock/gmock.h>

#include <cmath>
#include <optional>

#include "tests/support/tolerance.h"
#include "tests/unit/backend/bench.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    const auto backend = create_backend("cuda", DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
    bench.emplace("cuda");
  }

  static std::vector<double> numbers(std::int64_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = random.uniform(-1.0, 1.0);
    return values;
  }

  std::optional<Bench> bench;
};

TEST_F(Cuda, RefusesFloat64NamingCpu) {
  const auto backend = create_backend("cuda", DType::kFloat64);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(backend.status().message(), HasSubstr("device cpu"));
}

TEST_F(Cuda, ProductsOfManyTilesAgreeWithCpu) {
  constexpr std::int64_t kM = 130, kN = 257, kK = 321;
  Bench cpu("cpu");
  const auto run = [&](Bench& on, Opcode op, std::array<std::int64_t, 3> sizes) {
    const Operand a = on.values("a", numbers(sizes[0], 1)), b = on.values("b", numbers(sizes[1], 2));
    const Operand out = on.values("out" + std::to_string(sizes[2]), numbers(sizes[2], 3));
    const Operand spare = on.values("spare", numbers(sizes[2], 4));
    Instruction i = instruction(op, kM, kN, kK, {a, b}, {out});
    if (op == Opcode::kForward) i.out[1] = spare;
    EXPECT_TRUE(on.run(i, {.lr = 1.0}).ok());
    return on.read(out);
  };
  const auto compare = [&](Opcode op, std::array<std::int64_t, 3> sizes, std::int64_t terms) {
    SCOPED_TRACE(to_string(op));
    const auto wanted = run(cpu, op, sizes), seen = run(*bench, op, sizes);
    const double allowed = tolerance(OpClass::kSum, DType::kFloat32, std::sqrt(static_cast<double>(terms)), terms);
    double worst = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(seen[i] - wanted[i]));
    EXPECT_LE(worst, allowed);
  };
  compare(Opcode::kForward, {kM * kK, kN * kK, kM * kN}, kK);
  compare(Opcode::kGradInput, {kM * kN, kN * kK, kM * kK}, kN);
  compare(Opcode::kWeightGrad, {kM * kN, kM * kK, kN * kK}, kM);
  compare(Opcode::kUpdate, {kM * kN, kM * kK, kN * kK}, kM);
}

TEST_F(Cuda, GivesTheSameBitsEveryTime) {
  constexpr std::int64_t kM = 257, kN = 301;
  const Operand p = bench->values("p", numbers(kM * kN, 1)), t = bench->values("t", numbers(kM * kN, 2));
  const Operand loss = bench->real("loss", 0), finite = bench->counter("finite", 0), size = bench->real("rms", 0);
  for (const Loss kind : {Loss::kMse, Loss::kCrossEntropy}) {
    bench->program().loss = kind;
    std::optional<double> first_loss, first_size;
    for (int time = 0; time < 5; ++time) {
      ASSERT_TRUE(bench
                      ->run({instruction(Opcode::kLossGap, kM, kN, 1, {p, t}, {Operand{}, loss, finite}),
                             instruction(Opcode::kRms, kM, kN, 1, {p}, {size})})
                      .ok());
      const double seen_loss = bench->read_real(loss), seen_size = bench->read_real(size);
      EXPECT_EQ(seen_loss, first_loss.value_or(seen_loss));
      EXPECT_EQ(seen_size, first_size.value_or(seen_size));
      first_loss = seen_loss, first_size = seen_size;
    }
    EXPECT_EQ(bench->read_counter(finite), 1u);
    EXPECT_NEAR(*first_size, std::sqrt(1.0 / 3.0), 0.01);
  }
}

TEST_F(Cuda, KeepsTheDigitsOfALossNearZero) {
  // One class certain: the loss is ln(1 + exp(-20)), and the gap the same to first order.
  const Operand p = bench->values("p", {20, 0}), t = bench->values("t", {1, 0}), gap = bench->values("gap", {9, 9});
  const Operand loss = bench->real("loss", 0), finite = bench->counter("finite", 0);
  bench->program().loss = Loss::kCrossEntropy;
  ASSERT_TRUE(bench->run(instruction(Opcode::kLossGap, 1, 2, 1, {p, t}, {gap, loss, finite})).ok());
  const double rest = std::exp(-20.0), allowed = tolerance(OpClass::kTranscendental, DType::kFloat32, rest);
  EXPECT_NEAR(bench->read_real(loss), std::log1p(rest), allowed);
  const auto seen = bench->read(gap);
  EXPECT_NEAR(seen[0], -rest / (1 + rest), allowed);
  EXPECT_NEAR(seen[1], rest / (1 + rest), allowed);
}

TEST_F(Cuda, RefusesAnInstructionThatReachesPastABuffer) {
  const Operand x = bench->values("x", {1, 2}), y = bench->values("y", {1, 2});
  const Status status = bench->run(instruction(Opcode::kScale, 1, 100, 1, {x}, {y}));
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("scale"));
  EXPECT_EQ(bench->read(y), (std::vector<double>{1, 2}));
}

TEST_F(Cuda, RefusesACounterOfMoreThan32Bits) {
  const Operand c = bench->counter("c", 5);
  const std::uint64_t large = std::uint64_t{1} << 32;
  const Status status = bench->backend().write(c.buffer, 0, &large, sizeof large);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("4294967296"));
  EXPECT_EQ(bench->read_counter(c), 5u);
}

}  // namespace
}  // namespace weft::test
