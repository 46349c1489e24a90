// Dense layers on BLAS products. Matrices are row-major.
#pragma once

#include <algorithm>

#include "src/backend/native_cpu/activations.h"
#include "src/backend/native_cpu/product.h"

namespace weft::native_cpu {

/// z[m,n] = x[m,k] W[n,k]^T + b[n]; y = act(z). b may be null; z may be y.
inline void forward(Sizes s, const float* x, const float* w, const float* b, Activation activation, float* z,
                    float* y) {
  if (b != nullptr) {
    for (std::int64_t row = 0; row < s.m; ++row) std::copy_n(b, s.n, z + row * s.n);
  }
  product(false, true, s.m, s.n, s.k, 1.0f, x, w, b != nullptr ? 1.0f : 0.0f, z);
  if (activation == Activation::kLinear && z == y) return;
  with(activation, [&](auto act) {
    for (std::int64_t i = 0; i < s.m * s.n; ++i) y[i] = act.value(z[i]);
  });
}

/// d = (scale g) * act'(z)
inline void delta(std::int64_t elements, float scale, const float* g, Activation activation, const float* z, float* d) {
  with(activation, [&](auto act) {
    for (std::int64_t i = 0; i < elements; ++i) d[i] = scale * g[i] * act.slope(z[i]);
  });
}

/// gx[m,k] (+)= d[m,n] W[n,k]
inline void grad_input(Sizes s, const float* d, const float* w, bool accumulate, float* gx) {
  product(false, false, s.m, s.k, s.n, 1.0f, d, w, accumulate ? 1.0f : 0.0f, gx);
}

/// dW[n,k] (+)= d[m,n]^T x[m,k]
inline void weight_grad(Sizes s, const float* d, const float* x, bool accumulate, float* dw) {
  product(true, false, s.n, s.k, s.m, 1.0f, d, x, accumulate ? 1.0f : 0.0f, dw);
}

/// W[n,k] -= rate d[m,n]^T x[m,k], in one product straight into W.
inline void update(Sizes s, double rate, const float* d, const float* x, float* w) {
  product(true, false, s.n, s.k, s.m, static_cast<float>(-rate), d, x, 1.0f, w);
}

/// sums[n] = column sums of d[m,n]
inline void column_sums(std::int64_t m, std::int64_t n, const float* d, float* sums) {
  std::fill_n(sums, n, 0.0f);
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t o = 0; o < n; ++o) sums[o] += d[row * n + o];
  }
}

/// db[n] (+)= column sums of d[m,n]; sums is scratch of n.
inline void bias_grad(Sizes s, const float* d, bool accumulate, float* sums, float* db) {
  column_sums(s.m, s.n, d, sums);
  for (std::int64_t o = 0; o < s.n; ++o) db[o] = accumulate ? db[o] + sums[o] : sums[o];
}

/// b[n] -= rate column sums of d[m,n]; sums is scratch of n.
inline void bias_update(Sizes s, double rate, const float* d, float* sums, float* b) {
  column_sums(s.m, s.n, d, sums);
  const float step = static_cast<float>(rate);
  for (std::int64_t o = 0; o < s.n; ++o) b[o] -= step * sums[o];
}

}  // namespace weft::native_cpu
