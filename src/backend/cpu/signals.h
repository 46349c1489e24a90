// Signals: what rules and composites do to gaps and activations between layers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft::cpu {

/// The rows of a matrix that are `length` long, from column `at` on.
struct Columns {
  std::int64_t length, at;
};

/// y (+)= a f x; f is one real or null (1).
template <typename T>
void scale(std::int64_t elements, double a, const double* f, const T* x, bool accumulate, T* y) {
  const double factor = f != nullptr ? a * *f : a;
  for (std::int64_t i = 0; i < elements; ++i) {
    const double value = factor * static_cast<double>(x[i]);
    y[i] = static_cast<T>(accumulate ? static_cast<double>(y[i]) + value : value);
  }
}

/// y = x - w
template <typename T>
void subtract(std::int64_t elements, const T* x, const T* w, T* y) {
  for (std::int64_t i = 0; i < elements; ++i) {
    y[i] = static_cast<T>(static_cast<double>(x[i]) - static_cast<double>(w[i]));
  }
}

template <typename T>
void zero(std::int64_t elements, T* y) {
  for (std::int64_t i = 0; i < elements; ++i) y[i] = T{0};
}

/// y[wanted] = a times x[given] resized: element i is the mean of x[lo..hi-1]; equal sizes copy.
template <typename T>
void project(std::int64_t given, std::int64_t wanted, double a, const T* x, T* y) {
  for (std::int64_t i = 0; i < wanted; ++i) {
    const std::int64_t lo = i * given / wanted;
    const std::int64_t hi = std::max(lo + 1, (i + 1) * given / wanted);
    double sum = 0.0;
    for (std::int64_t j = lo; j < hi; ++j) sum += static_cast<double>(x[j]);
    y[i] = static_cast<T>(a * (sum / static_cast<double>(hi - lo)));
  }
}

/// n columns of m rows: y[row, to.at ..] (+)= a x[row, from.at ..]
template <typename T>
void copy_columns(std::int64_t m, std::int64_t n, double a, Columns from, const T* x, bool accumulate, Columns to,
                  T* y) {
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = a * static_cast<double>(x[row * from.length + from.at + i]);
      T& at = y[row * to.length + to.at + i];
      at = static_cast<T>(accumulate ? static_cast<double>(at) + value : value);
    }
  }
}

/// y[m,n] = softmax over each row of x; the row's largest is subtracted first, so that exp cannot overflow.
template <typename T>
void softmax(std::int64_t m, std::int64_t n, const T* x, T* y) {
  for (std::int64_t row = 0; row < m; ++row, x += n, y += n) {
    double largest = static_cast<double>(x[0]), sum = 0.0;
    for (std::int64_t i = 1; i < n; ++i) largest = std::max(largest, static_cast<double>(x[i]));
    for (std::int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[i]) - largest);
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(std::exp(static_cast<double>(x[i]) - largest) / sum);
  }
}

/// dx[m,n] = y * (dy - row sum of y*dy)
template <typename T>
void softmax_grad(std::int64_t m, std::int64_t n, const T* y, const T* dy, T* dx) {
  for (std::int64_t row = 0; row < m; ++row, y += n, dy += n, dx += n) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(y[i]) * static_cast<double>(dy[i]);
    for (std::int64_t i = 0; i < n; ++i) {
      dx[i] = static_cast<T>(static_cast<double>(y[i]) * (static_cast<double>(dy[i]) - sum));
    }
  }
}

/// y[m,n] (+)= a w[row, weight.at] x[m,n]
template <typename T>
void scale_rows(std::int64_t m, std::int64_t n, double a, const T* x, Columns weight, const T* w, bool accumulate,
                T* y) {
  for (std::int64_t row = 0; row < m; ++row) {
    const double factor = a * static_cast<double>(w[row * weight.length + weight.at]);
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
      const double value = factor * static_cast<double>(x[i]);
      y[i] = static_cast<T>(accumulate ? static_cast<double>(y[i]) + value : value);
    }
  }
}

/// y[row, to.at] = sum over n of x[m,n] w[m,n]
template <typename T>
void row_dot(std::int64_t m, std::int64_t n, const T* x, const T* w, Columns to, T* y) {
  for (std::int64_t row = 0; row < m; ++row) {
    double sum = 0.0;
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(w[i]);
    y[row * to.length + to.at] = static_cast<T>(sum);
  }
}

}  // namespace weft::cpu
