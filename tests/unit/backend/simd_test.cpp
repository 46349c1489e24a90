// The vector loops of native_cpu: their error in units of the last place, and the ends of the range.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include "src/backend/native_cpu/simd.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::test {
namespace {

constexpr Activation kAll[] = {Activation::kLinear, Activation::kRelu, Activation::kRelu2, Activation::kLeakyRelu,
                               Activation::kSilu,   Activation::kGelu, Activation::kTanh,  Activation::kSigmoid};

/// Finite floats of every exponent and both signs, some 400,000.
std::vector<float> floats() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 10007) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

/// |seen - wanted| in units of the last place of a float of size `size`.
double ulps(double seen, double wanted, double size) {
  const double normal = std::max(std::abs(size), static_cast<double>(std::numeric_limits<float>::min()));
  return std::abs(seen - wanted) / std::ldexp(1.0, std::ilogb(normal) - 23);
}

struct Worst {
  double value = 0.0, slope = 0.0;
};

/// Values against their own size, but silu and gelu, which are products with z that vanish to its left, against that
/// of z; slopes against that of 1 or their own where larger.
Worst worst_of(Activation activation) {
  const std::vector<float> z = floats(), ones(z.size(), 1.0F);
  std::vector<float> y(z.size()), d(z.size());
  const auto count = static_cast<std::int64_t>(z.size());
  native_cpu::activate(activation, count, z.data(), y.data());
  native_cpu::activation_gradient(activation, count, 1.0F, ones.data(), z.data(), d.data());
  const bool product = activation == Activation::kSilu || activation == Activation::kGelu;
  Worst worst;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double value = activate(activation, z[i]), slope = activate_derivative(activation, z[i]);
    if (std::abs(value) < std::numeric_limits<float>::max())
      worst.value = std::max(worst.value, ulps(y[i], value, product ? z[i] : value));
    if (std::abs(slope) < std::numeric_limits<float>::max())
      worst.slope = std::max(worst.slope, ulps(d[i], slope, std::max(1.0, std::abs(slope))));
  }
  return worst;
}

TEST(Simd, ErrorInUnitsOfTheLastPlace) {
  for (const Activation activation : kAll) {
    const Worst worst = worst_of(activation);
    EXPECT_LE(worst.value, 4.0) << to_string(activation);
    EXPECT_LE(worst.slope, 4.0) << to_string(activation);
    RecordProperty(std::string(to_string(activation)) + "_value", std::to_string(worst.value));
    RecordProperty(std::string(to_string(activation)) + "_slope", std::to_string(worst.slope));
  }
}

TEST(Simd, NanStaysAndInfinityIsTheLimit) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Activation activation : kAll) {
    const float z[3] = {std::nanf(""), kInfinity, 0.0F};
    float y[3], d[3];
    const float ones[3] = {1, 1, 1};
    native_cpu::activate(activation, 3, z, y);
    native_cpu::activation_gradient(activation, 3, 1.0F, ones, z, d);
    EXPECT_TRUE(std::isnan(y[0])) << to_string(activation);
    EXPECT_EQ(y[1], activation == Activation::kTanh || activation == Activation::kSigmoid ? 1.0F : kInfinity)
        << to_string(activation);
    EXPECT_EQ(y[2], activation == Activation::kSigmoid ? 0.5F : 0.0F) << to_string(activation);
  }
}

TEST(Simd, EveryElementOfEveryLengthAndNoOther) {
  for (const Activation activation : kAll) {
    for (std::int64_t count = 0; count <= 40; ++count) {
      std::vector<float> z(42, 0.75F), g(42, 0.5F), y(42, -9.0F), d(42, -9.0F);
      native_cpu::activate(activation, count, z.data() + 1, y.data() + 1);
      native_cpu::activation_gradient(activation, count, 2.0F, g.data() + 1, z.data() + 1, d.data() + 1);
      for (std::int64_t i = 0; i < 42; ++i) {
        const bool inside = i >= 1 && i <= count;
        const auto at = static_cast<std::size_t>(i);
        EXPECT_FLOAT_EQ(y[at], inside ? static_cast<float>(activate(activation, 0.75)) : -9.0F);
        EXPECT_FLOAT_EQ(d[at], inside ? static_cast<float>(activate_derivative(activation, 0.75)) : -9.0F);
        EXPECT_EQ(y[at], inside ? y[1] : -9.0F) << "the value depends on the place";
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
#endif
