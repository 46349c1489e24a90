// Signals: what rules and composites do to gaps and activations between layers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/backend/native_cpu/reductions.h"

namespace weft::native_cpu {

/// y (+)= factor x over contiguous elements. Factor 1 copies the bits.
inline void scale(std::int64_t elements, float factor, const float* x, bool accumulate, float* y) {
  if (accumulate) {
    for (std::int64_t i = 0; i < elements; ++i) y[i] += factor * x[i];
  } else if (factor == 1.0f) {
    if (x != y) std::copy_n(x, elements, y);
  } else {
    for (std::int64_t i = 0; i < elements; ++i) y[i] = factor * x[i];
  }
}

/// y = x - w
inline void subtract(std::int64_t elements, const float* x, const float* w, float* y) {
  for (std::int64_t i = 0; i < elements; ++i) y[i] = x[i] - w[i];
}

/// y[wanted] = a times x[given] resized: element i is the mean of x[lo..hi-1]; equal sizes copy.
inline void project(std::int64_t given, std::int64_t wanted, float a, const float* x, float* y) {
  if (given == wanted) return scale(wanted, a, x, false, y);
  for (std::int64_t i = 0; i < wanted; ++i) {
    const std::int64_t lo = i * given / wanted;
    const std::int64_t hi = std::max(lo + 1, (i + 1) * given / wanted);
    const double total = sum(hi - lo, [=](std::int64_t j) { return static_cast<double>(x[lo + j]); });
    y[i] = a * static_cast<float>(total / static_cast<double>(hi - lo));
  }
}

/// y[m,n] = softmax over each row of x
inline void softmax(std::int64_t m, std::int64_t n, const float* x, float* y) {
  for (std::int64_t row = 0; row < m; ++row, x += n, y += n) {
    const float largest = *std::max_element(x, x + n);
    for (std::int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i] - largest);
    const float total = static_cast<float>(sum(n, [=](std::int64_t i) { return static_cast<double>(y[i]); }));
    for (std::int64_t i = 0; i < n; ++i) y[i] /= total;
  }
}

/// dx[m,n] = y * (dy - row sum of y*dy)
inline void softmax_grad(std::int64_t m, std::int64_t n, const float* y, const float* dy, float* dx) {
  for (std::int64_t row = 0; row < m; ++row, y += n, dy += n, dx += n) {
    const float total = static_cast<float>(dot(n, y, dy));
    for (std::int64_t i = 0; i < n; ++i) dx[i] = y[i] * (dy[i] - total);
  }
}

}  // namespace weft::native_cpu
