// Dense layers on BLAS products. Matrices are row-major.
#pragma once

#include <algorithm>

#include "src/backend/native_cpu/product.h"
#include "src/backend/native_cpu/simd.h"

namespace weft::native_cpu {

/// z[m,n] = x[m,k] W[n,k]^T + b[n]; y = act(z). b may be null; z may be y.
inline void forward(Team& team, Sizes s, const float* x, const float* w, const float* b, Activation activation,
                    float* z, float* y) {
  for_each_tile(team, Tiling(s.m, s.n, s.k), [&](Tile tile) {
    const std::int64_t first = tile.row * s.n + tile.column;
    if (b != nullptr) {
      for (std::int64_t row = 0; row < tile.rows; ++row)
        std::copy_n(b + tile.column, tile.columns, z + first + row * s.n);
    }
    product(tile, s.k, 1.0f, {x, s.k}, {w, s.k, true}, b != nullptr ? 1.0f : 0.0f, z, s.n);
    if (activation == Activation::kLinear && z == y) return;
    if (tile.columns == s.n) return activate(activation, tile.rows * s.n, z + first, y + first);
    for (std::int64_t row = 0; row < tile.rows; ++row)
      activate(activation, tile.columns, z + first + row * s.n, y + first + row * s.n);
  });
}

/// d = (scale g) * act'(z)
inline void delta(Team& team, std::int64_t elements, float scale, const float* g, Activation activation, const float* z,
                  float* d) {
  for_each_piece(team, elements, [&](std::int64_t first, std::int64_t count) {
    activation_gradient(activation, count, scale, g + first, z + first, d + first);
  });
}

/// c[rows,columns] = alpha a b + beta c, all tiles of it.
inline void whole_product(Team& team, std::int64_t rows, std::int64_t columns, std::int64_t inner, float alpha,
                          Matrix a, Matrix b, float beta, float* c) {
  for_each_tile(team, Tiling(rows, columns, inner),
                [&](Tile tile) { product(tile, inner, alpha, a, b, beta, c, columns); });
}

/// gx[m,k] (+)= d[m,n] W[n,k]
inline void grad_input(Team& team, Sizes s, const float* d, const float* w, bool accumulate, float* gx) {
  whole_product(team, s.m, s.k, s.n, 1.0f, {d, s.n}, {w, s.k}, accumulate ? 1.0f : 0.0f, gx);
}

/// dW[n,k] (+)= d[m,n]^T x[m,k]
inline void weight_grad(Team& team, Sizes s, const float* d, const float* x, bool accumulate, float* dw) {
  whole_product(team, s.n, s.k, s.m, 1.0f, {d, s.n, true}, {x, s.k}, accumulate ? 1.0f : 0.0f, dw);
}

/// W[n,k] -= rate d[m,n]^T x[m,k], in one product straight into W.
inline void update(Team& team, Sizes s, double rate, const float* d, const float* x, float* w) {
  whole_product(team, s.n, s.k, s.m, static_cast<float>(-rate), {d, s.n, true}, {x, s.k}, 1.0f, w);
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
