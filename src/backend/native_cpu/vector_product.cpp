// Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/vector_product.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/vector_product.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

/// R rows by C vectors of columns, all sums in registers. `last`: elements in the vector where it is not a whole one.
template <int R, int C, bool kWhole>
inline void block(const VectorProduct& p, std::int64_t row, std::int64_t column, std::int64_t last) {
  const Wide d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::conditional_t<kWhole, Whole<Wide>, First<Wide>> part(last);
  Vector sums[R][C];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) sums[r][c] = hn::Zero(d);
  }
  const float* a = p.a + row * p.a_row;
  const float* b = p.b + column;
  for (std::int64_t t = 0; t < p.inner; ++t, a += p.a_term, b += p.b_row) {
    Vector terms[C];
    for (int c = 0; c < C; ++c) terms[c] = part.load(b + c * lanes);
    for (int r = 0; r < R; ++r) {
      const Vector factor = hn::Set(d, a[r * p.a_row]);
      for (int c = 0; c < C; ++c) sums[r][c] = hn::MulAdd(factor, terms[c], sums[r][c]);
    }
  }
  const Vector alpha = hn::Set(d, p.alpha);
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      const std::int64_t at = column + c * lanes;
      const Vector result = p.start == nullptr
                                ? hn::Mul(alpha, sums[r][c])
                                : hn::MulAdd(alpha, sums[r][c], part.load(p.start + (row + r) * p.start_row + at));
      part.store(result, p.c + (row + r) * p.c_row + at);
    }
  }
}

/// All rows of C vectors of columns, the most rows at a time that keep every sum in a register.
template <int C, bool kWhole>
inline void strip(const VectorProduct& p, std::int64_t column, std::int64_t last) {
  constexpr int kRows = C == 4 || (C == 2 && !kManyRegisters) ? 4 : 8;
  std::int64_t row = 0;
  for (; row + kRows <= p.rows; row += kRows) block<kRows, C, kWhole>(p, row, column, last);
  if constexpr (kRows == 8) {
    for (; row + 4 <= p.rows; row += 4) block<4, C, kWhole>(p, row, column, last);
  }
  for (; row + 2 <= p.rows; row += 2) block<2, C, kWhole>(p, row, column, last);
  for (; row < p.rows; ++row) block<1, C, kWhole>(p, row, column, last);
}

void product_lanes(const VectorProduct& p) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Wide()));
  std::int64_t column = 0;
  if constexpr (kManyRegisters) {
    for (; column + 4 * lanes <= p.columns; column += 4 * lanes) strip<4, true>(p, column, 0);
  }
  for (; column + 2 * lanes <= p.columns; column += 2 * lanes) strip<2, true>(p, column, 0);
  for (; column + lanes <= p.columns; column += lanes) strip<1, true>(p, column, 0);
  if (column < p.columns) strip<1, false>(p, column, p.columns - column);
}

/// N dot products of x with rows of w that follow each other.
template <int N>
inline void dots(std::int64_t k, const float* x, const float* w, const float* b, float* z) {
  const Wide d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Vector sums[N];
  for (int n = 0; n < N; ++n) sums[n] = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    const Vector terms = hn::LoadU(d, x + i);
    for (int n = 0; n < N; ++n) sums[n] = hn::MulAdd(terms, hn::LoadU(d, w + n * k + i), sums[n]);
  }
  if (i < k) {
    const First<Wide> part(k - i);
    const Vector terms = part.load(x + i);
    for (int n = 0; n < N; ++n) sums[n] = hn::MulAdd(terms, part.load(w + n * k + i), sums[n]);
  }
  for (int n = 0; n < N; ++n) {
    const float sum = hn::GetLane(hn::SumOfLanes(d, sums[n]));
    z[n] = b == nullptr ? sum : b[n] + sum;
  }
}

void dots_lanes(std::int64_t m, std::int64_t n, std::int64_t k, const float* x, const float* w, const float* b,
                float* z) {
  for (std::int64_t row = 0; row < m; ++row, x += k, z += n) {
    std::int64_t o = 0;
    for (; o + 4 <= n; o += 4) dots<4>(k, x, w + o * k, b == nullptr ? nullptr : b + o, z + o);
    for (; o < n; ++o) dots<1>(k, x, w + o * k, b == nullptr ? nullptr : b + o, z + o);
  }
}

bool wide_vectors() { return HWY_MAX_BYTES >= 64; }

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(product_lanes);
HWY_EXPORT(dots_lanes);
HWY_EXPORT(wide_vectors);

bool vectors_are_wide() { return HWY_DYNAMIC_DISPATCH(wide_vectors)(); }

void vector_product(const VectorProduct& product) { HWY_DYNAMIC_DISPATCH(product_lanes)(product); }

void vector_dots(std::int64_t m, std::int64_t n, std::int64_t k, const float* x, const float* w, const float* b,
                 float* z) {
  HWY_DYNAMIC_DISPATCH(dots_lanes)(m, n, k, x, w, b, z);
}

}  // namespace weft::native_cpu
#endif
