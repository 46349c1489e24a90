// Dense layers on BLAS products. Matrices are row-major.
#pragma once

#include "src/backend/native_cpu/product.h"
#include "src/backend/native_cpu/simd.h"

namespace weft::native_cpu {

/// z[m,n] = x[m,k] W[n,k]^T + b[n]; y = act(z). b may be null; z may be y.
inline void forward(Team& team, Sizes s, const float* x, const float* w, const float* b, Activation activation,
                    float* z, float* y) {
  const Product product{s.m, s.n, s.k, 1.0f, {x, s.k, 1}, {w, 1, s.k}, b, 0, z};
  if (activation == Activation::kLinear && z == y) return multiply(team, product);
  multiply(team, product, [&](const Piece& piece) {
    const std::int64_t first = piece.row * s.n + piece.column;
    if (piece.columns == s.n) return activate(activation, piece.rows * s.n, z + first, y + first);
    for (std::int64_t row = 0; row < piece.rows; ++row)
      activate(activation, piece.columns, z + first + row * s.n, y + first + row * s.n);
  });
}

/// d = (scale g) * act'(z)
inline void delta(Team& team, std::int64_t elements, float scale, const float* g, Activation activation, const float* z,
                  float* d) {
  for_each_run(team, elements, [&](std::int64_t first, std::int64_t count) {
    activation_gradient(activation, count, scale, g + first, z + first, d + first);
  });
}

/// gx[m,k] (+)= d[m,n] W[n,k]
inline void grad_input(Team& team, Sizes s, const float* d, const float* w, bool accumulate, float* gx) {
  multiply(team, {s.m, s.k, s.n, 1.0f, {d, s.n, 1}, {w, s.k, 1}, accumulate ? gx : nullptr, s.k, gx});
}

/// dW[n,k] (+)= d[m,n]^T x[m,k]
inline void weight_grad(Team& team, Sizes s, const float* d, const float* x, bool accumulate, float* dw) {
  multiply(team, {s.n, s.k, s.m, 1.0f, {d, 1, s.n}, {x, s.k, 1}, accumulate ? dw : nullptr, s.k, dw});
}

/// W[n,k] -= rate d[m,n]^T x[m,k], in one product straight into W.
inline void update(Team& team, Sizes s, double rate, const float* d, const float* x, float* w) {
  multiply(team, {s.n, s.k, s.m, static_cast<float>(-rate), {d, 1, s.n}, {x, s.k, 1}, w, s.k, w});
}

}  // namespace weft::native_cpu
