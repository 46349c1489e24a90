// The mesh's target propagation: targets below a cell and link budgets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/backend/native_cpu/dense.h"
#include "src/backend/native_cpu/reductions.h"

namespace weft::native_cpu {

/// sums[columns] = column sums of |w| over n rows that lie `row_step` apart.
void column_sizes(std::int64_t n, std::int64_t columns, const float* w, std::int64_t row_step, double* sums);

/// values[count] over sums[count] where those exceed 0.01, else 0.
void divide_by_sizes(std::int64_t count, const double* sums, float* values);

/// tau_in[m,k] = tau[m,n] W[n,k] over the column sums of |W| where those exceed 0.01, else 0; sums is scratch of k.
inline void target_below(Team& team, Sizes s, const float* tau, const float* w, double* sums, float* tau_in) {
  constexpr std::int64_t kManyWeights = 1 << 16;                      // so many take several hand-overs' time
  const std::int64_t columns = s.n * s.k < kManyWeights ? s.k : 128;  // of a piece
  team.run((s.k + columns - 1) / columns, [&](std::int64_t piece) {
    const std::int64_t first = piece * columns;
    column_sizes(s.n, std::min(columns, s.k - first), w + first, s.k, sums + first);
  });
  const auto divide = [&](const Piece& piece) {
    for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row)
      divide_by_sizes(piece.columns, sums + piece.column, tau_in + row * s.k + piece.column);
  };
  multiply(team, {s.m, s.k, s.n, 1.0f, {tau, s.n, 1}, {w, s.k, 1}, nullptr, s.k, tau_in}, divide);
}

/// (cos(x, w) + 1)/2 over all elements, 0 where either is zero.
inline double link_budget(Team& team, std::int64_t elements, const float* x, const float* w) {
  const auto sums = sum_of_runs<SquaresAndDot>(team, elements, kRunOfSums, [&](std::int64_t first, std::int64_t count) {
    return squares_and_dot(count, x + first, w + first);
  });
  if (sums.xx == 0.0 || sums.ww == 0.0) return 0.0;
  return (sums.xw / (std::sqrt(sums.xx) * std::sqrt(sums.ww)) + 1.0) / 2.0;
}

}  // namespace weft::native_cpu
