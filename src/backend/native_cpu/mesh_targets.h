// The mesh's target propagation: targets below a cell and link budgets.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/backend/native_cpu/dense.h"
#include "src/backend/native_cpu/reductions.h"

namespace weft::native_cpu {

/// tau_in[m,k] = tau[m,n] W[n,k] over the column sums of |W| where those exceed 0.01, else 0; sums is scratch of k.
inline void target_below(Team& team, Sizes s, const float* tau, const float* w, double* sums, float* tau_in) {
  grad_input(team, s, tau, w, false, tau_in);
  for (std::int64_t i = 0; i < s.k; ++i) sums[i] = 0.0;
  for (std::int64_t o = 0; o < s.n; ++o) {
    for (std::int64_t i = 0; i < s.k; ++i) sums[i] += std::abs(static_cast<double>(w[o * s.k + i]));
  }
  for (std::int64_t row = 0; row < s.m; ++row, tau_in += s.k) {
    for (std::int64_t i = 0; i < s.k; ++i) {
      tau_in[i] = sums[i] > 0.01 ? static_cast<float>(static_cast<double>(tau_in[i]) / sums[i]) : 0.0f;
    }
  }
}

/// (cos(x, w) + 1)/2 over all elements, 0 where either is zero.
inline double link_budget(std::int64_t elements, const float* x, const float* w) {
  const double xx = dot(elements, x, x), ww = dot(elements, w, w);
  if (xx == 0.0 || ww == 0.0) return 0.0;
  return (dot(elements, x, w) / (std::sqrt(xx) * std::sqrt(ww)) + 1.0) / 2.0;
}

}  // namespace weft::native_cpu
