// Losses with their gaps, and the numbers that decisions are made of. Losses stay in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "weft/loss.hpp"

namespace weft::cpu {

/// mean (p-t)^2 over all elements; gap = 2(p-t)/elements. gap may be null.
template <typename T>
double mse_gap(std::int64_t elements, const T* p, const T* t, T* gap) {
  const double count = static_cast<double>(elements);
  double sum = 0.0;
  for (std::int64_t i = 0; i < elements; ++i) {
    const double error = static_cast<double>(p[i]) - static_cast<double>(t[i]);
    sum += error * error;
    if (gap != nullptr) gap[i] = static_cast<T>(2.0 * error / count);
  }
  return sum / count;
}

/// Softmax cross-entropy, mean over the m rows; gap = (softmax(p) - t)/m. gap may be null.
template <typename T>
double cross_entropy_gap(std::int64_t m, std::int64_t n, const T* p, const T* t, T* gap) {
  const double rows = static_cast<double>(m);
  double loss = 0.0;
  for (std::int64_t row = 0; row < m; ++row) {
    const T* logits = p + row * n;
    double largest = static_cast<double>(logits[0]), sum = 0.0;
    for (std::int64_t i = 1; i < n; ++i) largest = std::max(largest, static_cast<double>(logits[i]));
    for (std::int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(logits[i]) - largest);
    for (std::int64_t i = 0; i < n; ++i) {
      const double probability = std::exp(static_cast<double>(logits[i]) - largest) / sum;
      const double target = static_cast<double>(t[row * n + i]);
      loss -= target * std::log(std::max(probability, 1e-12));
      if (gap != nullptr) gap[row * n + i] = static_cast<T>((probability - target) / rows);
    }
  }
  return loss / rows;
}

template <typename T>
void loss_gap(Loss loss, std::int64_t m, std::int64_t n, const T* p, const T* t, T* gap, double* value,
              std::uint64_t* finite) {
  *value = loss == Loss::kMse ? mse_gap(m * n, p, t, gap) : cross_entropy_gap(m, n, p, t, gap);
  *finite = std::isfinite(*value) ? 1 : 0;
}

/// r = sqrt(mean x^2)
template <typename T>
void rms(std::int64_t elements, const T* x, double* r) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < elements; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  *r = std::sqrt(sum / static_cast<double>(elements));
}

/// r = limit / |x| where the L2 norm of x is above the limit, else 1
template <typename T>
void clip(std::int64_t elements, double limit, const T* x, double* r) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < elements; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double norm = std::sqrt(sum);
  *r = norm > limit ? limit / norm : 1.0;
}

template <typename T>
void is_finite(std::int64_t elements, const T* x, std::uint64_t* flag) {
  *flag = std::all_of(x, x + elements, [](T value) { return std::isfinite(value); }) ? 1 : 0;
}

}  // namespace weft::cpu
