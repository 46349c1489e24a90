// Sums in a fixed order: eight lanes that a compiler can keep in vector registers, added up at the end.
#pragma once

#include <array>
#include <cstdint>

namespace weft::native_cpu {

/// The sum over i in 0..count-1 of term(i), a double.
template <typename Term>
double sum(std::int64_t count, Term term) {
  constexpr std::int64_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[static_cast<std::size_t>(lane)] += term(i + lane);
  }
  for (std::int64_t lane = 0; i < count; ++i, ++lane) lanes[static_cast<std::size_t>(lane)] += term(i);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/// The sum of x[i] w[i].
inline double dot(std::int64_t count, const float* x, const float* w) {
  return sum(count, [=](std::int64_t i) { return static_cast<double>(x[i]) * static_cast<double>(w[i]); });
}

}  // namespace weft::native_cpu
