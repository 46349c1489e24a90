// Signals: what rules and composites do to gaps and activations between layers.
#pragma once

#include "src/kernels/team.h"

namespace weft {
namespace kernels {

/// y (+)= factor x over contiguous elements.
WEFT_DEVICE void scale(WEFT_ARG(Team) team, Index elements, float factor, WEFT_GLOBAL(const float) x, bool accumulate,
                       WEFT_GLOBAL(float) y) {
  for (Index i = team.first(); i < elements; i += team.stride()) {
    const float value = factor * x[i];
    y[i] = accumulate ? y[i] + value : value;
  }
}

/// y = x - w
WEFT_DEVICE void subtract(WEFT_ARG(Team) team, Index elements, WEFT_GLOBAL(const float) x, WEFT_GLOBAL(const float) w,
                          WEFT_GLOBAL(float) y) {
  for (Index i = team.first(); i < elements; i += team.stride()) y[i] = x[i] - w[i];
}

WEFT_DEVICE void zero(WEFT_ARG(Team) team, Index elements, WEFT_GLOBAL(float) y) {
  for (Index i = team.first(); i < elements; i += team.stride()) y[i] = 0.0f;
}

/// y[wanted] = a times x[given] resized: element i is the mean of x[lo..hi-1]; equal sizes copy.
WEFT_DEVICE void project(WEFT_ARG(Team) team, Index given, Index wanted, float a, WEFT_GLOBAL(const float) x,
                         WEFT_GLOBAL(float) y) {
  for (Index i = team.first(); i < wanted; i += team.stride()) {
    const Index lo = i * given / wanted, next = (i + 1) * given / wanted, hi = next > lo ? next : lo + 1;
    float total = 0.0f;
    for (Index j = lo; j < hi; ++j) total += x[j];
    y[i] = a * (total / static_cast<float>(hi - lo));
  }
}

/// The rows of a matrix that are `length` long, from column `at` on.
struct Columns {
  Index length, at;
};

/// n columns of m rows: y[row, to.at ..] (+)= a x[row, from.at ..]
WEFT_DEVICE void copy_columns(WEFT_ARG(Team) team, Index m, Index n, float a, WEFT_ARG(Columns) from,
                              WEFT_GLOBAL(const float) x, bool accumulate, WEFT_ARG(Columns) to, WEFT_GLOBAL(float) y) {
  for (Index i = team.first(); i < m * n; i += team.stride()) {
    const Index row = i / n, column = i % n;
    const float value = a * x[row * from.length + from.at + column];
    WEFT_GLOBAL(float) at = y + row * to.length + to.at + column;
    *at = accumulate ? *at + value : value;
  }
}

/// y[m,n] (+)= a w[row, weight.at] x[m,n]
WEFT_DEVICE void scale_rows(WEFT_ARG(Team) team, Index m, Index n, float a, WEFT_GLOBAL(const float) x,
                            WEFT_ARG(Columns) weight, WEFT_GLOBAL(const float) w, bool accumulate,
                            WEFT_GLOBAL(float) y) {
  for (Index i = team.first(); i < m * n; i += team.stride()) {
    const float value = a * w[i / n * weight.length + weight.at] * x[i];
    y[i] = accumulate ? y[i] + value : value;
  }
}

/// y[row, to.at] = sum over n of x[m,n] w[m,n], a thread a row
WEFT_DEVICE void row_dot(WEFT_ARG(Team) team, Index m, Index n, WEFT_GLOBAL(const float) x, WEFT_GLOBAL(const float) w,
                         WEFT_ARG(Columns) to, WEFT_GLOBAL(float) y) {
  for (Index row = team.first(); row < m; row += team.stride()) {
    float total = 0.0f;
    for (Index i = row * n; i < (row + 1) * n; ++i) total = fma(x[i], w[i], total);
    y[row * to.length + to.at] = total;
  }
}

}  // namespace kernels
}  // namespace weft
