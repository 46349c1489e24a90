// Softmax over rows and its gradient, a thread a row. The row's largest is subtracted first, so that exp cannot
// overflow.
#pragma once

#include "src/kernels/team.h"

namespace weft {
namespace kernels {

/// A row of logits: where its largest lies (the first of equals), and the sum of exp(x - largest) over the others.
struct RowMass {
  Index top;
  float largest, rest;
  WEFT_METHOD float total() const { return 1.0f + rest; }
};

WEFT_DEVICE RowMass row_mass(Index n, WEFT_GLOBAL(const float) x) {
  Index top = 0;
  float largest = x[0], rest = 0.0f;
  for (Index i = 1; i < n; ++i) {
    if (x[i] > largest) top = i, largest = x[i];
  }
  for (Index i = 0; i < n; ++i) {
    if (i != top) rest += exp(x[i] - largest);
  }
  return RowMass{top, largest, rest};
}

/// y[m,n] = softmax over each row of x; y may be x
WEFT_DEVICE void softmax(WEFT_ARG(Team) team, Index m, Index n, WEFT_GLOBAL(const float) x, WEFT_GLOBAL(float) y) {
  for (Index r = team.first(); r < m; r += team.stride()) {
    const RowMass row = row_mass(n, x + r * n);
    for (Index i = r * n; i < (r + 1) * n; ++i) y[i] = exp(x[i] - row.largest) / row.total();
  }
}

/// dx[m,n] = y * (dy - row sum of y*dy)
WEFT_DEVICE void softmax_grad(WEFT_ARG(Team) team, Index m, Index n, WEFT_GLOBAL(const float) y,
                              WEFT_GLOBAL(const float) dy, WEFT_GLOBAL(float) dx) {
  for (Index r = team.first(); r < m; r += team.stride()) {
    float total = 0.0f;
    for (Index i = r * n; i < (r + 1) * n; ++i) total = fma(y[i], dy[i], total);
    for (Index i = r * n; i < (r + 1) * n; ++i) dx[i] = y[i] * (dy[i] - total);
  }
}

}  // namespace kernels
}  // namespace weft
