// Loops over signals, run by a team where they are long.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "src/backend/native_cpu/product.h"
#include "src/backend/native_cpu/reductions.h"
#include "src/backend/native_cpu/signals.h"

namespace weft::native_cpu {

/// Runs each(first, rows) over pieces of m rows of n elements that do not depend on each other.
template <typename Each>
void for_each_rows(Team& team, std::int64_t m, std::int64_t n, const Each& each) {
  constexpr std::int64_t kRun = 1 << 13;  // elements
  const std::int64_t rows = kRun / std::max<std::int64_t>(n, 1) + 1;
  if (m / 2 <= rows) return each(std::int64_t{0}, m);
  team.run((m + rows - 1) / rows, [&](std::int64_t i) { each(i * rows, std::min(rows, m - i * rows)); });
}

/// y (+)= factor x
inline void scale(Team& team, std::int64_t elements, float factor, const float* x, bool accumulate, float* y) {
  for_each_run(team, elements,
               [&](std::int64_t first, std::int64_t count) { scale(count, factor, x + first, accumulate, y + first); });
}

/// y = x - w
inline void subtract(Team& team, std::int64_t elements, const float* x, const float* w, float* y) {
  for_each_run(team, elements,
               [&](std::int64_t first, std::int64_t count) { subtract(count, x + first, w + first, y + first); });
}

/// y = 0
inline void zero(Team& team, std::int64_t elements, float* y) {
  for_each_run(team, elements, [&](std::int64_t first, std::int64_t count) { std::fill_n(y + first, count, 0.0f); });
}

/// Row by row y (+)= factor x over n elements; rows lie x_row and y_row apart.
inline void copy_columns(Team& team, std::int64_t m, std::int64_t n, float factor, const float* x, std::int64_t x_row,
                         bool accumulate, float* y, std::int64_t y_row) {
  for_each_rows(team, m, n, [&](std::int64_t first, std::int64_t rows) {
    copy_columns(rows, n, factor, x + first * x_row, x_row, accumulate, y + first * y_row, y_row);
  });
}

/// y[m,n] (+)= factor w x[m,n] with one w for a row, w_row apart.
inline void scale_rows(Team& team, std::int64_t m, std::int64_t n, float factor, const float* w, std::int64_t w_row,
                       const float* x, bool accumulate, float* y) {
  for_each_rows(team, m, n, [&](std::int64_t first, std::int64_t rows) {
    scale_rows(rows, n, factor, w + first * w_row, w_row, x + first * n, accumulate, y + first * n);
  });
}

/// y = sum over n of x[m,n] w[m,n], the y of rows y_row apart.
inline void row_dot(Team& team, std::int64_t m, std::int64_t n, const float* x, const float* w, float* y,
                    std::int64_t y_row) {
  for_each_rows(team, m, n, [&](std::int64_t first, std::int64_t rows) {
    row_dot(rows, n, x + first * n, w + first * n, y + first * y_row, y_row);
  });
}

/// y[m,n] = softmax over each row of x
inline void softmax(Team& team, std::int64_t m, std::int64_t n, const float* x, float* y) {
  for_each_rows(team, m, n,
                [&](std::int64_t first, std::int64_t rows) { softmax(rows, n, x + first * n, y + first * n); });
}

/// dx[m,n] = y * (dy - row sum of y*dy)
inline void softmax_grad(Team& team, std::int64_t m, std::int64_t n, const float* y, const float* dy, float* dx) {
  for_each_rows(team, m, n, [&](std::int64_t first, std::int64_t rows) {
    softmax_grad(rows, n, y + first * n, dy + first * n, dx + first * n);
  });
}

/// Whether all of x is finite.
inline bool all_finite(Team& team, std::int64_t elements, const float* x) {
  std::atomic<bool> finite{true};
  for_each_run(team, elements, [&](std::int64_t first, std::int64_t count) {
    if (!all_finite(count, x + first)) finite.store(false, std::memory_order_relaxed);
  });
  return finite.load(std::memory_order_relaxed);
}

}  // namespace weft::native_cpu
