// Philox4x32-10 and what is drawn from it.
#include "weft/random.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace weft {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

// Keeps the shuffles of epochs apart from the streams of leaves ("permutat").
constexpr std::uint64_t kPermutationStream = 0x7065726D75746174;

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t p1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {high(p1) ^ counter[1] ^ key[0], low(p1), high(p0) ^ counter[3] ^ key[1], low(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint32_t Random::next_u32() {
  if (used_ == 4) {
    block_ = philox({low(counter_), high(counter_), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
    ++counter_;
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t Random::next_u64() {
  const std::uint64_t first = next_u32();
  return first | (std::uint64_t{next_u32()} << 32);
}

double Random::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

double Random::uniform(double low, double high) {
  // One rounding, asked for by name: a compiler that contracts or not gives the same number.
  const double x = std::fma(high - low, uniform(), low);
  return x < high ? x : std::nextafter(high, low);
}

std::uint64_t Random::below(std::uint64_t bound) {
  if (bound < 2) return 0;
  // The first 2^64 mod bound numbers are drawn again; what remains is a whole number of bounds.
  const std::uint64_t refused = (0 - bound) % bound;
  std::uint64_t x = next_u64();
  while (x < refused) x = next_u64();
  return x % bound;
}

std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::int64_t> order(n > 0 ? static_cast<std::size_t>(n) : 0);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Random random(seed, epoch ^ kPermutationStream);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace weft
