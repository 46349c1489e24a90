// Fresh weights: bounds, streams, biases and refusals.
#include "weft/initialise.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "weft/op.hpp"
#include "weft/random.hpp"

namespace weft {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

double largest(const Tensor& tensor) {
  double most = 0.0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) most = std::max(most, std::abs(tensor.at(i)));
  return most;
}

TEST(Initialise, BoundsOfEachKind) {
  const double in = 50, out = 200;
  const std::pair<Initialiser, double> kinds[] = {{Initialiser::kUniform, 1 / std::sqrt(in)},
                                                  {Initialiser::kXavier, std::sqrt(6 / (in + out))},
                                                  {Initialiser::kHe, std::sqrt(6 / in)},
                                                  {Initialiser::kZeros, 0.0}};
  for (const auto& [kind, bound] : kinds) {
    Stack model{dense(50, 200, relu, {.dtype = DType::kFloat64})};
    ASSERT_TRUE(model.initialise({.seed = 3, .initialiser = kind}).ok());
    const double most = largest(leaves(model)[0]->weight);
    EXPECT_LE(most, bound) << to_string(kind);
    EXPECT_GE(most, 0.99 * bound) << to_string(kind);  // 10,000 draws come close to the bound
  }
}

TEST(Initialise, DrawsFromSeedAndLeafNumber) {
  Stack model{dense(3, 2), stack({dense(2, 2, linear, {.dtype = DType::kFloat64})})};
  ASSERT_TRUE(model.initialise({.seed = 11}).ok());
  Random first(11, 1), second(11, 2);
  for (float value : leaves(model)[0]->weight.values<float>()) {
    EXPECT_EQ(value, static_cast<float>(first.uniform(-1 / std::sqrt(3.0), 1 / std::sqrt(3.0))));
  }
  for (double value : leaves(model)[1]->weight.values<double>()) {
    EXPECT_EQ(value, second.uniform(-1 / std::sqrt(2.0), 1 / std::sqrt(2.0)));
  }
}

// The same numbers on every platform: these are stored, not computed.
TEST(Initialise, StoredNumbers) {
  Stack model{dense(4, 1, linear, {.dtype = DType::kFloat64})};
  ASSERT_TRUE(model.initialise({.seed = 1}).ok());
  const auto w = leaves(model)[0]->weight.values<double>();
  EXPECT_EQ(w[0], -0x1.ebecda4fc7c74p-3);
  EXPECT_EQ(w[3], -0x1.2e4862e17445p-3);
}

TEST(Initialise, BiasesBecomeZero) {
  Stack model{dense(2, 3, relu, {.bias = true, .bias_values = Tensor(Shape{3}, std::vector<float>{1, 2, 3})}),
              dense(3, 1)};
  ASSERT_TRUE(model.initialise().ok());
  EXPECT_THAT(leaves(model)[0]->bias->values<float>(), Each(0.0f));
  EXPECT_EQ(leaves(model)[0]->bias->elements(), 3);
  EXPECT_FALSE(leaves(model)[1]->bias.has_value());
}

TEST(Initialise, RefusesWithoutChangingAnything) {
  Stack model{dense(2, 2), dense(2, 0, relu, {.name = "fc2"})};
  const Status status = model.initialise();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "initialise: dense 'fc2' (leaf 2): out is 0, wanted 1 or more");
  EXPECT_TRUE(leaves(model)[0]->weight.empty());
}

TEST(Initialise, RefusesAbsurdSizesBeforeAllocating) {
  Stack model{dense(std::int64_t{1} << 33, std::int64_t{1} << 33)};
  const Status status = model.initialise();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              HasSubstr("dense (leaf 1): weight shape [8589934592, 8589934592]: more elements than 2^40"));
}

TEST(Initialise, RefusesMoreThanTheMachineHas) {
  // Each layer may fit, all of them do not: 2^14 of 2^30 numbers.
  Stack model;
  model.ops.emplace_back(dense(1, 1 << 30));
  for (int i = 0; i < 1 << 14; ++i) model.ops.emplace_back(dense(1 << 15, 1 << 15));
  const Status status = model.initialise();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), ::testing::MatchesRegex("initialise: dense \\(leaf [0-9]+\\): [0-9]+ x [0-9]+ weights, "
                                                        "[0-9.e+]+ GB in all, wanted at most [0-9.]+ GB, the "
                                                        "machine's memory"));
  EXPECT_TRUE(leaves(model)[0]->weight.empty());
}

TEST(Initialise, RefusesStorageByName) {
  Stack half{dense(2, 2, relu, {.dtype = DType::kBfloat16})};
  EXPECT_EQ(half.initialise().code(), StatusCode::kUnsupported);
  EXPECT_THAT(half.initialise().message(), HasSubstr("dtype bfloat16, wanted float32 or float64"));
  Stack packed{dense(2, 2, relu, {.format = Format::kQ4K})};
  EXPECT_THAT(packed.initialise().message(), HasSubstr("format Q4_K, wanted none"));
}

}  // namespace
}  // namespace weft
