// native_cpu's own promises: the same bits run after run, sizes that BLAS cannot count, empty products.
#include <gmock/gmock.h>

#include "tests/unit/backend/bench.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

class NativeCpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto native = create_backend("native_cpu", DType::kFloat32);
    if (!native.ok()) GTEST_SKIP() << native.status().message();
  }

  static std::vector<double> random_values(std::int64_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = random.uniform(-1, 1);
    return values;
  }
};

TEST_F(NativeCpu, GivesTheSameBitsRunAfterRun) {
  constexpr std::int64_t m = 129, n = 257, k = 311;
  std::vector<double> first;
  for (int round = 0; round < 5; ++round) {
    Bench bench("native_cpu");
    const Operand x = bench.values("x", random_values(m * k, 1)), d = bench.values("d", random_values(m * n, 2));
    const Operand w = bench.values("W", random_values(n * k, 3));
    ASSERT_TRUE(bench.run(instruction(Opcode::kUpdate, m, n, k, {d, x}, {w}), {.lr = 0.1}).ok());
    if (round == 0) first = bench.read(w);
    EXPECT_EQ(bench.read(w), first);
  }
}

TEST_F(NativeCpu, AnEmptyProductIsZeroOrTheBias) {
  Bench bench("native_cpu");
  const Operand none = bench.values("none", {}), b = bench.values("b", {3, 4}), y = bench.values("y", {9, 9});
  ASSERT_TRUE(bench.run(instruction(Opcode::kForward, 1, 2, 0, {none, none}, {y, y})).ok());
  EXPECT_EQ(bench.read(y), (std::vector<double>{0, 0}));
  ASSERT_TRUE(bench.run(instruction(Opcode::kForward, 1, 2, 0, {none, none, b}, {y, y})).ok());
  EXPECT_EQ(bench.read(y), (std::vector<double>{3, 4}));
  ASSERT_TRUE(bench.run(instruction(Opcode::kForward, 0, 2, 2, {none, b, none}, {none, none})).ok());
}

}  // namespace
}  // namespace weft::test
