// Dense layers: z = x W^T + b, y = act(z), and the gradients of both. Matrices are row-major; instructions.def has the
// formulas.
#pragma once

#include "src/kernels/activations.h"
#include "src/kernels/product.h"

namespace weft {
namespace kernels {

/// m rows (the batch), n outputs, k inputs.
struct Sizes {
  Index m, n, k;
};

struct StoreActivated {
  Index columns;
  bool has_bias;
  WEFT_GLOBAL(const float) bias;
  Act activation;
  WEFT_GLOBAL(float) z;
  WEFT_GLOBAL(float) y;
  WEFT_METHOD void operator()(Index row, Index column, float sum) const {
    const float pre = has_bias ? sum + bias[column] : sum;
    z[row * columns + column] = pre;
    y[row * columns + column] = activate(activation, pre);  // second, since z may be y
  }
};

struct StoreSum {
  Index columns;
  bool accumulate;
  WEFT_GLOBAL(float) to;
  WEFT_METHOD void operator()(Index row, Index column, float sum) const {
    WEFT_GLOBAL(float) at = to + row * columns + column;
    *at = accumulate ? *at + sum : sum;
  }
};

struct StoreDescent {
  Index columns;
  float rate;
  WEFT_GLOBAL(float) to;
  WEFT_METHOD void operator()(Index row, Index column, float sum) const {
    WEFT_GLOBAL(float) at = to + row * columns + column;
    *at = fma(-rate, sum, *at);
  }
};

WEFT_DEVICE void forward(WEFT_ARG(Team) team, WEFT_ARG(Sizes) s, WEFT_GLOBAL(const float) x, WEFT_GLOBAL(const float) w,
                         bool has_bias, WEFT_GLOBAL(const float) b, Act activation, WEFT_GLOBAL(float) z,
                         WEFT_GLOBAL(float) y) {
  const Matrix left = row_major(x, s.k), right = transposed(w, s.k);
  product(team, s.m, s.n, s.k, left, right, StoreActivated{s.n, has_bias, b, activation, z, y});
}

/// The rest of forward where its products are in z already, of so many elements.
WEFT_DEVICE void activate_products(WEFT_ARG(Team) team, Index elements, Index columns, bool has_bias,
                                   WEFT_GLOBAL(const float) b, Act activation, WEFT_GLOBAL(float) z,
                                   WEFT_GLOBAL(float) y) {
  const StoreActivated store{columns, has_bias, b, activation, z, y};
  for (Index i = team.first(); i < elements; i += team.stride()) store(i / columns, i % columns, z[i]);
}

/// d = (scale g) * act'(z)
WEFT_DEVICE void delta(WEFT_ARG(Team) team, Index elements, float scale, WEFT_GLOBAL(const float) g, Act activation,
                       WEFT_GLOBAL(const float) z, WEFT_GLOBAL(float) d) {
  for (Index i = team.first(); i < elements; i += team.stride()) d[i] = scale * g[i] * slope(activation, z[i]);
}

/// gx[m,k] (+)= d[m,n] W[n,k]
WEFT_DEVICE void grad_input(WEFT_ARG(Team) team, WEFT_ARG(Sizes) s, WEFT_GLOBAL(const float) d,
                            WEFT_GLOBAL(const float) w, bool accumulate, WEFT_GLOBAL(float) gx) {
  const Matrix left = row_major(d, s.n), right = row_major(w, s.k);
  product(team, s.m, s.k, s.n, left, right, StoreSum{s.k, accumulate, gx});
}

/// dW[n,k] (+)= d[m,n]^T x[m,k]
WEFT_DEVICE void weight_grad(WEFT_ARG(Team) team, WEFT_ARG(Sizes) s, WEFT_GLOBAL(const float) d,
                             WEFT_GLOBAL(const float) x, bool accumulate, WEFT_GLOBAL(float) dw) {
  const Matrix left = transposed(d, s.n), right = row_major(x, s.k);
  product(team, s.n, s.k, s.m, left, right, StoreSum{s.k, accumulate, dw});
}

/// W[n,k] -= rate d[m,n]^T x[m,k]
WEFT_DEVICE void update(WEFT_ARG(Team) team, WEFT_ARG(Sizes) s, float rate, WEFT_GLOBAL(const float) d,
                        WEFT_GLOBAL(const float) x, WEFT_GLOBAL(float) w) {
  const Matrix left = transposed(d, s.n), right = row_major(x, s.k);
  product(team, s.n, s.k, s.m, left, right, StoreDescent{s.k, rate, w});
}

/// The sum of one column of d[m,n], from the first row to the last.
WEFT_DEVICE float column_sum(Index m, Index n, Index column, WEFT_GLOBAL(const float) d) {
  float total = 0.0f;
  for (Index row = 0; row < m; ++row) total += d[row * n + column];
  return total;
}

/// db[n] (+)= column sums of d[m,n]
WEFT_DEVICE void bias_grad(WEFT_ARG(Team) team, Index m, Index n, WEFT_GLOBAL(const float) d, bool accumulate,
                           WEFT_GLOBAL(float) db) {
  for (Index o = team.first(); o < n; o += team.stride()) {
    const float total = column_sum(m, n, o, d);
    db[o] = accumulate ? db[o] + total : total;
  }
}

/// b[n] -= rate column sums of d[m,n]
WEFT_DEVICE void bias_update(WEFT_ARG(Team) team, Index m, Index n, float rate, WEFT_GLOBAL(const float) d,
                             WEFT_GLOBAL(float) b) {
  for (Index o = team.first(); o < n; o += team.stride()) b[o] = fma(-rate, column_sum(m, n, o, d), b[o]);
}

}  // namespace kernels
}  // namespace weft
