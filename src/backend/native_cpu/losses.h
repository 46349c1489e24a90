// Losses with their gaps. Gaps are float, losses are summed in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/backend/native_cpu/reductions.h"

namespace weft::native_cpu {

/// mean (p-t)^2 over all elements; gap = 2(p-t)/elements. gap may be null.
inline double mse_gap(std::int64_t elements, const float* p, const float* t, float* gap) {
  const double count = static_cast<double>(elements);
  if (gap != nullptr) {
    const float factor = static_cast<float>(2.0 / count);
    for (std::int64_t i = 0; i < elements; ++i) gap[i] = factor * (p[i] - t[i]);
  }
  const double total = sum(elements, [=](std::int64_t i) {
    const double error = static_cast<double>(p[i]) - static_cast<double>(t[i]);
    return error * error;
  });
  return total / count;
}

/// Softmax cross-entropy, mean over the m rows; gap = (softmax(p) - t)/m. powers is scratch of n; gap may be null.
inline double cross_entropy_gap(std::int64_t m, std::int64_t n, const float* p, const float* t, double* powers,
                                float* gap) {
  double loss = 0.0;
  for (std::int64_t row = 0; row < m; ++row, p += n, t += n) {
    const double largest = static_cast<double>(*std::max_element(p, p + n));
    for (std::int64_t i = 0; i < n; ++i) powers[i] = std::exp(static_cast<double>(p[i]) - largest);
    const double total = sum(n, [=](std::int64_t i) { return powers[i]; });
    for (std::int64_t i = 0; i < n; ++i) {
      const double probability = powers[i] / total, target = static_cast<double>(t[i]);
      // A target of zero adds nothing but hides no NaN: then every probability of the row is one.
      if (target != 0.0 || std::isnan(probability)) loss -= target * std::log(std::max(probability, 1e-12));
      if (gap != nullptr) gap[row * n + i] = static_cast<float>((probability - target) / static_cast<double>(m));
    }
  }
  return loss / static_cast<double>(m);
}

}  // namespace weft::native_cpu
