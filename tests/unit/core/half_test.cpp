// 16-bit numbers to floats: every value, compared with what the formats say.
#include "src/core/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace weft {
namespace {

// From the definition: sign, 5 bits of exponent with bias 15, 10 bits of mantissa.
double half_by_definition(unsigned bits) {
  const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = (bits & 1023) / 1024.0;
  if (exponent == 0) return sign * fraction * std::pow(2.0, -14);
  return sign * (1.0 + fraction) * std::pow(2.0, exponent - 15);
}

TEST(Half, EveryFiniteValue) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits >> 10 & 31) == 31) continue;
    const float value = from_half(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(static_cast<double>(value), half_by_definition(bits)) << bits;
    ASSERT_EQ(std::signbit(value), (bits >> 15) != 0) << bits;
  }
}

TEST(Half, NamedValues) {
  EXPECT_EQ(from_half(0x3c00), 1.0f);
  EXPECT_EQ(from_half(0x7bff), 65504.0f);
  EXPECT_EQ(from_half(0x0001), 0x1p-24f);    // the least subnormal number
  EXPECT_EQ(from_half(0x03ff), 0x3ffp-24f);  // the largest
  EXPECT_EQ(from_half(0x0400), 0x1p-14f);    // the least normal number
  EXPECT_EQ(from_half(0x7c00), INFINITY);
  EXPECT_EQ(from_half(0xfc00), -INFINITY);
  for (const int bits : {0x7c01, 0x7e00, 0xffff}) EXPECT_TRUE(std::isnan(from_half(static_cast<std::uint16_t>(bits))));
}

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(from_bfloat16(0x3f80), 1.0f);
  EXPECT_EQ(from_bfloat16(0xc040), -3.0f);
  EXPECT_EQ(from_bfloat16(0x0001), 0x1p-133f);  // subnormal
  EXPECT_EQ(from_bfloat16(0x7f80), INFINITY);
  EXPECT_TRUE(std::isnan(from_bfloat16(0x7fc0)));
  EXPECT_TRUE(std::signbit(from_bfloat16(0x8000)));
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(from_bfloat16(static_cast<std::uint16_t>(bits))), bits << 16);
  }
}

}  // namespace
}  // namespace weft
