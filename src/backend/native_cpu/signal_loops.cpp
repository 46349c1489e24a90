// Signals in vectors. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/signals.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/signal_loops.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/reductions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

void scale_lanes(std::int64_t elements, float factor, const float* x, bool accumulate, float* y) {
  if (accumulate) {
    over_vectors(elements, [&](auto d, const auto& part, std::int64_t i) {
      part.store(hn::MulAdd(hn::Set(d, factor), part.load(x + i), part.load(y + i)), y + i);
    });
  } else if (factor == 1.0f) {  // a product would lose what is too small to be normal
    if (x != y)
      over_vectors(elements, [&](auto, const auto& part, std::int64_t i) { part.store(part.load(x + i), y + i); });
  } else {
    over_vectors(elements, [&](auto d, const auto& part, std::int64_t i) {
      part.store(hn::Mul(hn::Set(d, factor), part.load(x + i)), y + i);
    });
  }
}

void subtract_lanes(std::int64_t elements, const float* x, const float* w, float* y) {
  over_vectors(elements, [&](auto, const auto& part, std::int64_t i) {
    part.store(hn::Sub(part.load(x + i), part.load(w + i)), y + i);
  });
}

void copy_columns_lanes(std::int64_t m, std::int64_t n, float factor, const float* x, std::int64_t x_row,
                        bool accumulate, float* y, std::int64_t y_row) {
  for (std::int64_t row = 0; row < m; ++row) scale_lanes(n, factor, x + row * x_row, accumulate, y + row * y_row);
}

void scale_rows_lanes(std::int64_t m, std::int64_t n, float factor, const float* w, std::int64_t w_row, const float* x,
                      bool accumulate, float* y) {
  for (std::int64_t row = 0; row < m; ++row)
    scale_lanes(n, factor * w[row * w_row], x + row * n, accumulate, y + row * n);
}

void row_dot_lanes(std::int64_t m, std::int64_t n, const float* x, const float* w, float* y, std::int64_t y_row) {
  for (std::int64_t row = 0; row < m; ++row)
    y[row * y_row] = static_cast<float>(dot_lanes(n, x + row * n, w + row * n));
}

void softmax_grad_lanes(std::int64_t m, std::int64_t n, const float* y, const float* dy, float* dx) {
  for (std::int64_t row = 0; row < m; ++row, y += n, dy += n, dx += n) {
    const auto total = static_cast<float>(dot_lanes(n, y, dy));
    over_vectors(n, [&](auto d, const auto& part, std::int64_t i) {
      part.store(hn::Mul(part.load(y + i), hn::Sub(part.load(dy + i), hn::Set(d, total))), dx + i);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(scale_lanes);
HWY_EXPORT(subtract_lanes);
HWY_EXPORT(copy_columns_lanes);
HWY_EXPORT(scale_rows_lanes);
HWY_EXPORT(row_dot_lanes);
HWY_EXPORT(softmax_grad_lanes);

void scale(std::int64_t elements, float factor, const float* x, bool accumulate, float* y) {
  HWY_DYNAMIC_DISPATCH(scale_lanes)(elements, factor, x, accumulate, y);
}
void subtract(std::int64_t elements, const float* x, const float* w, float* y) {
  HWY_DYNAMIC_DISPATCH(subtract_lanes)(elements, x, w, y);
}
void copy_columns(std::int64_t m, std::int64_t n, float factor, const float* x, std::int64_t x_row, bool accumulate,
                  float* y, std::int64_t y_row) {
  HWY_DYNAMIC_DISPATCH(copy_columns_lanes)(m, n, factor, x, x_row, accumulate, y, y_row);
}
void scale_rows(std::int64_t m, std::int64_t n, float factor, const float* w, std::int64_t w_row, const float* x,
                bool accumulate, float* y) {
  HWY_DYNAMIC_DISPATCH(scale_rows_lanes)(m, n, factor, w, w_row, x, accumulate, y);
}
void row_dot(std::int64_t m, std::int64_t n, const float* x, const float* w, float* y, std::int64_t y_row) {
  HWY_DYNAMIC_DISPATCH(row_dot_lanes)(m, n, x, w, y, y_row);
}
void softmax_grad(std::int64_t m, std::int64_t n, const float* y, const float* dy, float* dx) {
  HWY_DYNAMIC_DISPATCH(softmax_grad_lanes)(m, n, y, dy, dx);
}

}  // namespace weft::native_cpu
#endif
