// Squares of sixteen by sixteen: a line of cache is read and written whole while it is near. Rows that lie a power of
// two apart share so few places in a cache that a line left half used is gone before its other half is wanted.
#include "src/backend/native_cpu/transpose.h"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/transpose.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;  // NOLINT(misc-unused-alias-decls): scalar code needs none

constexpr std::int64_t kSide = 16;

#if HWY_TARGET != HWY_SCALAR
/// columns[j] takes, in each block of four lanes, element j of the four rows' block.
template <class D, class V>
inline void transpose_blocks(D d, const V (&rows)[4], V (&columns)[4]) {
  const hn::Repartition<double, D> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}
#endif

/// Four by four.
inline void small_square(const float* from, std::int64_t from_row, float* to, std::int64_t to_row) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) to[j * to_row + i] = from[i * from_row + j];
  }
#else
  const hn::CappedTag<float, 4> d;
  hn::Vec<decltype(d)> rows[4], columns[4];
  for (std::int64_t i = 0; i < 4; ++i) rows[i] = hn::LoadU(d, from + i * from_row);
  transpose_blocks(d, rows, columns);
  for (std::int64_t j = 0; j < 4; ++j) hn::StoreU(columns[j], d, to + j * to_row);
#endif
}

/// Sixteen by sixteen.
inline void square(const float* from, std::int64_t from_row, float* to, std::int64_t to_row) {
#if HWY_TARGET == HWY_AVX3
  const hn::CappedTag<float, 16> d;
  using V = hn::Vec<decltype(d)>;
  // parts[g][j]: in block b of four lanes, column 4b + j of rows 4g to 4g + 3.
  V parts[4][4];
  for (std::int64_t g = 0; g < 4; ++g) {
    V rows[4];
    for (std::int64_t i = 0; i < 4; ++i) rows[i] = hn::LoadU(d, from + (4 * g + i) * from_row);
    transpose_blocks(d, rows, parts[g]);
  }
  for (std::int64_t j = 0; j < 4; ++j) {
    const V &p0 = parts[0][j], &p1 = parts[1][j], &p2 = parts[2][j], &p3 = parts[3][j];
    const V even01 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(p1), p0);
    const V even23 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(p3), p2);
    const V odd01 = hn::OddEvenBlocks(p1, hn::SwapAdjacentBlocks(p0));
    const V odd23 = hn::OddEvenBlocks(p3, hn::SwapAdjacentBlocks(p2));
    hn::StoreU(hn::ConcatLowerLower(d, even23, even01), d, to + j * to_row);
    hn::StoreU(hn::ConcatLowerLower(d, odd23, odd01), d, to + (4 + j) * to_row);
    hn::StoreU(hn::ConcatUpperUpper(d, even23, even01), d, to + (8 + j) * to_row);
    hn::StoreU(hn::ConcatUpperUpper(d, odd23, odd01), d, to + (12 + j) * to_row);
  }
#else
  for (std::int64_t j = 0; j < kSide; j += 4) {
    for (std::int64_t i = 0; i < kSide; i += 4)
      small_square(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
  }
#endif
}

/// Any part, by squares of four and single elements.
void rest(std::int64_t n, std::int64_t k, const float* from, std::int64_t from_row, float* to, std::int64_t to_row) {
  const std::int64_t rows = n / 4 * 4, columns = k / 4 * 4;
  for (std::int64_t j = 0; j < columns; j += 4) {
    for (std::int64_t i = 0; i < rows; i += 4)
      small_square(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
  }
  for (std::int64_t j = 0; j < k; ++j) {
    for (std::int64_t i = j < columns ? rows : 0; i < n; ++i) to[j * to_row + i] = from[i * from_row + j];
  }
}

void transpose_lanes(std::int64_t n, std::int64_t k, const float* from, std::int64_t from_row, float* to,
                     std::int64_t to_row) {
  const std::int64_t rows = n / kSide * kSide, columns = k / kSide * kSide;
  for (std::int64_t j = 0; j < columns; j += kSide) {
    for (std::int64_t i = 0; i < rows; i += kSide)
      square(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
  }
  rest(n - rows, columns, from + rows * from_row, from_row, to + rows, to_row);
  rest(n, k - columns, from + columns, from_row, to + columns * to_row, to_row);
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(transpose_lanes);

void transpose(std::int64_t n, std::int64_t k, const float* from, std::int64_t from_row, float* to,
               std::int64_t to_row) {
  HWY_DYNAMIC_DISPATCH(transpose_lanes)(n, k, from, from_row, to, to_row);
}

}  // namespace weft::native_cpu
#endif
