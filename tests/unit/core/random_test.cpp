// Random numbers: the published vectors of Philox, fairness, permutations.
#include "weft/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace weft {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// kat_vectors of Random123 1.09, lines "philox4x32 10".
TEST(Philox, PublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, TheFirstBlockOfSeedZeroIsThePublishedOne) {
  Random random(0, 0);
  EXPECT_EQ(random.next_u32(), 0x6627e8d5u);
  EXPECT_EQ(random.next_u32(), 0xe169c58du);
  EXPECT_EQ(random.next_u64(), 0x9b00dbd8bc57ac4cu);
}

TEST(Random, NamesAreStreams) {
  Random a(7, 3), same(7, 3), other_stream(7, 4), other_seed(8, 3), high_bits(7, 3 + (std::uint64_t{1} << 40));
  const std::uint64_t first = a.next_u64();
  EXPECT_EQ(same.next_u64(), first);
  EXPECT_NE(other_stream.next_u64(), first);
  EXPECT_NE(other_seed.next_u64(), first);
  EXPECT_NE(high_bits.next_u64(), first);
}

TEST(Random, UniformIsInRangeAndCentred) {
  Random random(1);
  double sum = 0.0, squares = 0.0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_EQ(u, std::floor(u * 0x1p53) * 0x1p-53);
    sum += u;
    squares += u * u;
  }
  // Five standard deviations of the mean of u and of u^2.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

TEST(Random, UniformBetweenBoundsExcludesTheHigh) {
  Random random(2);
  const double low = 1.0, high = std::nextafter(std::nextafter(1.0, 2.0), 2.0);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(low, high);
    ASSERT_GE(x, low);
    ASSERT_LT(x, high);
  }
}

TEST(Random, BelowIsFair) {
  Random random(3);
  std::array<int, 7> counts{};
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) ++counts[random.below(7)];
  for (int count : counts) EXPECT_NEAR(count, kDraws / 7, 5 * std::sqrt(kDraws * (1.0 / 7) * (6.0 / 7)));
}

// With 3 * 2^62 as bound, x mod bound without rejection would fall below 2^62 twice as often as it should.
TEST(Random, BelowRejectsWhatWouldBeUnfair) {
  Random random(4);
  constexpr std::uint64_t kBound = std::uint64_t{3} << 62;
  static_assert(kBound == std::uint64_t{0xC000000000000000});
  int first_third = 0;
  constexpr int kDraws = 30'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t x = random.below(kBound);
    ASSERT_LT(x, kBound);
    first_third += x < (std::uint64_t{1} << 62) ? 1 : 0;
  }
  EXPECT_NEAR(first_third, kDraws / 3, 5 * std::sqrt(kDraws * (1.0 / 3) * (2.0 / 3)));
}

TEST(Random, BelowSmallBounds) {
  Random random(5);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_LT(random.below(2), 2u);
}

TEST(Permutation, HoldsEveryNumberOnce) {
  auto order = permutation(1000, 1, 0);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(order.size(), 1000u);
}

TEST(Permutation, DependsOnSeedAndEpochOnly) {
  EXPECT_EQ(permutation(100, 5, 2), permutation(100, 5, 2));
  EXPECT_NE(permutation(100, 5, 2), permutation(100, 5, 3));
  EXPECT_NE(permutation(100, 5, 2), permutation(100, 6, 2));
  EXPECT_TRUE(permutation(0, 1, 1).empty());
  EXPECT_TRUE(permutation(-4, 1, 1).empty());
}

TEST(Permutation, EveryOrderOfThreeIsAsLikely) {
  std::array<int, 6> counts{};
  constexpr int kDraws = 12'000;
  for (int epoch = 0; epoch < kDraws; ++epoch) {
    const auto order = permutation(3, 9, static_cast<std::uint64_t>(epoch));
    ++counts[static_cast<std::size_t>(order[0] * 2 + (order[1] > order[2] ? 1 : 0))];
  }
  for (int count : counts) EXPECT_NEAR(count, kDraws / 6, 5 * std::sqrt(kDraws * (1.0 / 6) * (5.0 / 6)));
}

}  // namespace
}  // namespace weft
