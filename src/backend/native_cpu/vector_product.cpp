// Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/vector_product.h"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/vector_product.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<float>;
using Vector = hn::Vec<Wide>;

// Kinds whose masked loads and stores touch nothing beyond the mask.
constexpr bool kMasks = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

// 32 registers rather than 16.
constexpr bool kManyRegisters = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM;

/// The first `count` elements, zeros behind them.
inline Vector load_first(Wide d, std::int64_t count, const float* from) {
  if constexpr (kMasks) {
    return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, from);
  } else {
    HWY_ALIGN float values[hn::MaxLanes(d)] = {};
    std::copy(from, from + count, values);
    return hn::Load(d, values);
  }
}

inline void store_first(Vector v, Wide d, std::int64_t count, float* to) {
  if constexpr (kMasks) {
    hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(count)), d, to);
  } else {
    HWY_ALIGN float values[hn::MaxLanes(d)];
    hn::Store(v, d, values);
    std::copy(values, values + count, to);
  }
}

/// R rows by C vectors of columns, all sums in registers. `last`: elements in the vector where it is not a whole one.
template <int R, int C, bool kWhole>
inline void block(const VectorProduct& p, std::int64_t row, std::int64_t column, std::int64_t last) {
  const Wide d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto load = [&](const float* from) { return kWhole ? hn::LoadU(d, from) : load_first(d, last, from); };
  Vector sums[R][C];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) sums[r][c] = hn::Zero(d);
  }
  const float* a = p.a + row * p.a_row;
  const float* b = p.b + column;
  for (std::int64_t t = 0; t < p.inner; ++t, a += p.a_term, b += p.b_row) {
    Vector terms[C];
    for (int c = 0; c < C; ++c) terms[c] = load(b + c * lanes);
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
                                : hn::MulAdd(alpha, sums[r][c], load(p.start + (row + r) * p.start_row + at));
      float* to = p.c + (row + r) * p.c_row + at;
      kWhole ? hn::StoreU(result, d, to) : store_first(result, d, last, to);
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
    const Vector terms = load_first(d, k - i, x + i);
    for (int n = 0; n < N; ++n) sums[n] = hn::MulAdd(terms, load_first(d, k - i, w + n * k + i), sums[n]);
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

void transpose_lanes(std::int64_t n, std::int64_t k, const float* from, std::int64_t from_row, float* to,
                     std::int64_t to_row) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  // Squares of four by four in registers; the inner loop fills lines of `to` one after the other.
  const hn::CappedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const std::int64_t whole = n / 4 * 4;
  std::int64_t j = 0;
  for (; j + 4 <= k; j += 4) {
    for (i = 0; i < whole; i += 4) {
      const float* at = from + i * from_row + j;
      const auto r0 = hn::LoadU(d, at), r1 = hn::LoadU(d, at + from_row), r2 = hn::LoadU(d, at + 2 * from_row),
                 r3 = hn::LoadU(d, at + 3 * from_row);
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
      float* into = to + j * to_row + i;
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, into);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, into + to_row);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, into + 2 * to_row);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, into + 3 * to_row);
    }
  }
  for (; j < k; ++j) {
    for (std::int64_t r = 0; r < whole; ++r) to[j * to_row + r] = from[r * from_row + j];
  }
  i = whole;
#endif
  for (; i < n; ++i) {
    for (std::int64_t c = 0; c < k; ++c) to[c * to_row + i] = from[i * from_row + c];
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
HWY_EXPORT(transpose_lanes);
HWY_EXPORT(wide_vectors);

bool vectors_are_wide() { return HWY_DYNAMIC_DISPATCH(wide_vectors)(); }

void vector_product(const VectorProduct& product) { HWY_DYNAMIC_DISPATCH(product_lanes)(product); }

void vector_dots(std::int64_t m, std::int64_t n, std::int64_t k, const float* x, const float* w, const float* b,
                 float* z) {
  HWY_DYNAMIC_DISPATCH(dots_lanes)(m, n, k, x, w, b, z);
}

void transpose(std::int64_t n, std::int64_t k, const float* from, std::int64_t from_row, float* to,
               std::int64_t to_row) {
  HWY_DYNAMIC_DISPATCH(transpose_lanes)(n, k, from, from_row, to, to_row);
}

}  // namespace weft::native_cpu
#endif
