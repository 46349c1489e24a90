// Signals: what rules and composites do to gaps and activations between layers. Matrices are row-major.
#pragma once

#include <cstdint>

namespace weft::native_cpu {

/// y (+)= factor x over contiguous elements. Factor 1 copies the bits. y may be x.
void scale(std::int64_t elements, float factor, const float* x, bool accumulate, float* y);

/// y = x - w. y may be either.
void subtract(std::int64_t elements, const float* x, const float* w, float* y);

/// Row by row y (+)= factor x over n elements; rows lie x_row and y_row apart.
void copy_columns(std::int64_t m, std::int64_t n, float factor, const float* x, std::int64_t x_row, bool accumulate,
                  float* y, std::int64_t y_row);

/// y[m,n] (+)= factor w x[m,n] with one w for a row, w_row apart.
void scale_rows(std::int64_t m, std::int64_t n, float factor, const float* w, std::int64_t w_row, const float* x,
                bool accumulate, float* y);

/// y = sum over n of x[m,n] w[m,n], the y of rows y_row apart.
void row_dot(std::int64_t m, std::int64_t n, const float* x, const float* w, float* y, std::int64_t y_row);

/// y[m,n] = softmax over each row of x. y may be x. exp is within 1 ulp of that of the rounded difference to the
/// largest; a NaN or an infinity makes a row of NaN, but -infinity beside a finite number 0.
void softmax(std::int64_t m, std::int64_t n, const float* x, float* y);

/// dx[m,n] = y * (dy - row sum of y*dy). dx may be dy.
void softmax_grad(std::int64_t m, std::int64_t n, const float* y, const float* dy, float* dx);

}  // namespace weft::native_cpu
