// Sums in double, in an order that depends on the number of elements alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "src/backend/native_cpu/team.h"

namespace weft::native_cpu {

/// The sum over i in 0..count-1 of term(i), a double; for short sums.
template <typename Term>
double sum(std::int64_t count, Term term) {
  constexpr std::int64_t kLanes = 8;  // that a compiler can keep in vector registers
  std::array<double, kLanes> lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[static_cast<std::size_t>(lane)] += term(i + lane);
  }
  for (std::int64_t lane = 0; i < count; ++i, ++lane) lanes[static_cast<std::size_t>(lane)] += term(i);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/// The sum of x[i] w[i].
double dot(std::int64_t count, const float* x, const float* w);
/// The sum of x[i]^2.
double squares(std::int64_t count, const float* x);
/// Whether all of x is finite.
bool all_finite(std::int64_t count, const float* x);

/// Sums of x^2, w^2 and x w.
struct SquaresAndDot {
  double xx = 0.0, ww = 0.0, xw = 0.0;
  SquaresAndDot& operator+=(const SquaresAndDot& other) {
    xx += other.xx, ww += other.ww, xw += other.xw;
    return *this;
  }
};
SquaresAndDot squares_and_dot(std::int64_t count, const float* x, const float* w);

/// The sum of part(first, count), a T, over runs of `run` or more of `count` things, cut the same for any team.
template <typename T, typename Part>
T sum_of_runs(Team& team, std::int64_t count, std::int64_t run, const Part& part) {
  constexpr std::int64_t kMost = 64;
  if (count / 2 <= run) return part(std::int64_t{0}, count);
  const std::int64_t length = std::max(run, (count - 1) / kMost + 1);
  std::array<T, kMost> sums{};
  const std::int64_t runs = (count - 1) / length + 1;
  team.run(runs, [&](std::int64_t i) {
    sums[static_cast<std::size_t>(i)] = part(i * length, std::min(length, count - i * length));
  });
  T sum{};
  for (std::int64_t i = 0; i < runs; ++i) sum += sums[static_cast<std::size_t>(i)];
  return sum;
}

inline constexpr std::int64_t kRunOfSums = 1 << 13;  // elements

/// As squares(count, x), by a team.
inline double squares(Team& team, std::int64_t count, const float* x) {
  return sum_of_runs<double>(team, count, kRunOfSums,
                             [&](std::int64_t first, std::int64_t length) { return squares(length, x + first); });
}

}  // namespace weft::native_cpu
