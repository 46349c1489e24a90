// Counter-based random numbers: the same on every platform, whatever the order of the draws.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace weft {

/// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A stream of numbers named by (seed, stream). Draws advance a counter; equal names give equal numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  /// Uniform in [low, high), rounded once.
  double uniform(double low, double high);
  /// Uniform in 0..bound-1 without bias; 0 for a bound of 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t seed_, stream_, counter_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

/// The order of 0..n-1 for an epoch: a Fisher-Yates shuffle of (seed, epoch), the same for every mode.
std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed, std::uint64_t epoch);

}  // namespace weft
