// The mesh's target propagation: targets below a cell, link budgets, and the step up.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/backend/cpu/dense.h"

namespace weft::cpu {

/// tau_in[m,k] = tau[m,n] W[n,k] over the column sums of |W| where those exceed 0.01, else 0.
template <typename T>
void target_below(Sizes s, const T* tau, const T* w, T* tau_in) {
  for (std::int64_t i = 0; i < s.k; ++i) {
    double weight = 0.0;
    for (std::int64_t o = 0; o < s.n; ++o) weight += std::abs(static_cast<double>(w[o * s.k + i]));
    for (std::int64_t row = 0; row < s.m; ++row) {
      double sum = 0.0;
      for (std::int64_t o = 0; o < s.n; ++o) {
        sum += static_cast<double>(w[o * s.k + i]) * static_cast<double>(tau[row * s.n + o]);
      }
      tau_in[row * s.k + i] = static_cast<T>(weight > 0.01 ? sum / weight : 0.0);
    }
  }
}

/// budget = (cos(x, w) + 1)/2 over all elements, 0 where either is zero; rate = a (0.5 + 0.5 budget).
template <typename T>
void link_budget(std::int64_t elements, double a, const T* x, const T* w, double* rate, std::uint64_t* active) {
  double xx = 0.0, ww = 0.0, xw = 0.0;
  for (std::int64_t i = 0; i < elements; ++i) {
    const double left = static_cast<double>(x[i]), right = static_cast<double>(w[i]);
    xx += left * left;
    ww += right * right;
    xw += left * right;
  }
  const double budget = xx == 0.0 || ww == 0.0 ? 0.0 : (xw / (std::sqrt(xx) * std::sqrt(ww)) + 1.0) / 2.0;
  *rate = a * (0.5 + 0.5 * budget);
  *active = budget >= 0.2 ? 1 : 0;
}

/// p += rate f dp
template <typename T>
void ascend(std::int64_t elements, double rate, const T* dp, double f, T* p) {
  for (std::int64_t i = 0; i < elements; ++i) {
    p[i] = static_cast<T>(static_cast<double>(p[i]) + rate * f * static_cast<double>(dp[i]));
  }
}

}  // namespace weft::cpu
