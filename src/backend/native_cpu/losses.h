// Losses with their gaps, by a team where they are large. Gaps are float, losses are summed in double.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/backend/native_cpu/reductions.h"

namespace weft::native_cpu {

/// The sum of (p-t)^2; gap = factor (p-t). gap may be null.
double squared_errors(std::int64_t elements, float factor, const float* p, const float* t, float* gap);

/// Softmax cross-entropy of some rows, summed; gap = (softmax(p) - t)/batch, in memory of its own or null. Powers are
/// within 1 ulp of those of the rounded difference to the row's largest, which has power 1; all else is double, so
/// that a gap keeps its digits where an answer is almost certain. Probabilities below 1e-12 count as that. A row with
/// a NaN, with infinity or of -infinity alone makes the loss NaN, also where its targets are zero.
double cross_entropy_of_rows(std::int64_t rows, std::int64_t n, std::int64_t batch, const float* p, const float* t,
                             float* gap);

/// mean (p-t)^2 over all elements; gap = 2(p-t)/elements. gap may be null.
inline double mse_gap(Team& team, std::int64_t elements, const float* p, const float* t, float* gap) {
  const auto count = static_cast<double>(elements);
  const auto factor = static_cast<float>(2.0 / count);
  const auto part = [&](std::int64_t first, std::int64_t length) {
    return squared_errors(length, factor, p + first, t + first, gap == nullptr ? nullptr : gap + first);
  };
  return sum_of_runs<double>(team, elements, kRunOfSums, part) / count;
}

/// Softmax cross-entropy, mean over the m rows; gap = (softmax(p) - t)/m in memory of its own, may be null.
inline double cross_entropy_gap(Team& team, std::int64_t m, std::int64_t n, const float* p, const float* t,
                                float* gap) {
  constexpr std::int64_t kRun = 1 << 12;  // elements: exponential functions take longer than sums
  const auto part = [&](std::int64_t first, std::int64_t rows) {
    const std::int64_t at = first * n;
    return cross_entropy_of_rows(rows, n, m, p + at, t + at, gap == nullptr ? nullptr : gap + at);
  };
  return sum_of_runs<double>(team, m, kRun / std::max<std::int64_t>(n, 1) + 1, part) / static_cast<double>(m);
}

}  // namespace weft::native_cpu
