// Dense layers: z = x W^T + b, y = act(z), and the gradients of both. Matrices are row-major.
#pragma once

#include <cstdint>

#include "weft/activation.hpp"

namespace weft::cpu {

/// m rows (the batch), n outputs, k inputs.
struct Sizes {
  std::int64_t m, n, k;
};

/// z[m,n] = x[m,k] W[n,k]^T + b[n], rounded to storage; y = act(z) of the rounded z. b may be null; z may be y.
template <typename T>
void forward(Sizes s, const T* x, const T* w, const T* b, Activation activation, T* z, T* y) {
  for (std::int64_t row = 0; row < s.m; ++row) {
    for (std::int64_t o = 0; o < s.n; ++o) {
      double sum = 0.0;
      for (std::int64_t i = 0; i < s.k; ++i) {
        sum += static_cast<double>(x[row * s.k + i]) * static_cast<double>(w[o * s.k + i]);
      }
      if (b != nullptr) sum += static_cast<double>(b[o]);
      const T pre = static_cast<T>(sum);
      z[row * s.n + o] = pre;
      y[row * s.n + o] = static_cast<T>(activate(activation, static_cast<double>(pre)));
    }
  }
}

/// d = (scale g) * act'(z)
template <typename T>
void delta(std::int64_t elements, double scale, const T* g, Activation activation, const T* z, T* d) {
  for (std::int64_t i = 0; i < elements; ++i) {
    const double slope = activate_derivative(activation, static_cast<double>(z[i]));
    d[i] = static_cast<T>(scale * static_cast<double>(g[i]) * slope);
  }
}

/// gx[m,k] (+)= d[m,n] W[n,k]
template <typename T>
void grad_input(Sizes s, const T* d, const T* w, bool accumulate, T* gx) {
  for (std::int64_t row = 0; row < s.m; ++row) {
    for (std::int64_t i = 0; i < s.k; ++i) {
      double sum = 0.0;
      for (std::int64_t o = 0; o < s.n; ++o) {
        sum += static_cast<double>(d[row * s.n + o]) * static_cast<double>(w[o * s.k + i]);
      }
      T& to = gx[row * s.k + i];
      to = static_cast<T>(accumulate ? static_cast<double>(to) + sum : sum);
    }
  }
}

/// (d^T x)[o,i]: one element of a weight gradient, summed over the batch.
template <typename T>
double weight_sum(Sizes s, const T* d, const T* x, std::int64_t o, std::int64_t i) {
  double sum = 0.0;
  for (std::int64_t row = 0; row < s.m; ++row) {
    sum += static_cast<double>(d[row * s.n + o]) * static_cast<double>(x[row * s.k + i]);
  }
  return sum;
}

/// Column o of d[m,n], summed: one element of a bias gradient.
template <typename T>
double bias_sum(Sizes s, const T* d, std::int64_t o) {
  double sum = 0.0;
  for (std::int64_t row = 0; row < s.m; ++row) sum += static_cast<double>(d[row * s.n + o]);
  return sum;
}

/// dW[n,k] (+)= d[m,n]^T x[m,k]
template <typename T>
void weight_grad(Sizes s, const T* d, const T* x, bool accumulate, T* dw) {
  for (std::int64_t o = 0; o < s.n; ++o) {
    for (std::int64_t i = 0; i < s.k; ++i) {
      const double sum = weight_sum(s, d, x, o, i);
      T& to = dw[o * s.k + i];
      to = static_cast<T>(accumulate ? static_cast<double>(to) + sum : sum);
    }
  }
}

/// db[n] (+)= column sums of d[m,n]
template <typename T>
void bias_grad(Sizes s, const T* d, bool accumulate, T* db) {
  for (std::int64_t o = 0; o < s.n; ++o) {
    const double sum = bias_sum(s, d, o);
    db[o] = static_cast<T>(accumulate ? static_cast<double>(db[o]) + sum : sum);
  }
}

/// W[n,k] -= rate d[m,n]^T x[m,k]; the gradient itself is never rounded to storage.
template <typename T>
void update(Sizes s, double rate, const T* d, const T* x, T* w) {
  for (std::int64_t o = 0; o < s.n; ++o) {
    for (std::int64_t i = 0; i < s.k; ++i) {
      T& to = w[o * s.k + i];
      to = static_cast<T>(static_cast<double>(to) - rate * weight_sum(s, d, x, o, i));
    }
  }
}

/// b[n] -= rate column sums of d[m,n]
template <typename T>
void bias_update(Sizes s, double rate, const T* d, T* b) {
  for (std::int64_t o = 0; o < s.n; ++o) {
    b[o] = static_cast<T>(static_cast<double>(b[o]) - rate * bias_sum(s, d, o));
  }
}

}  // namespace weft::cpu
