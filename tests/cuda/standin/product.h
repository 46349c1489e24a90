// The sums of products on the host, with factors rounded as tensor cores see them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "src/backend/cuda/blas.h"

namespace weft::standin {

/// To the nearest bfloat16, to the even one of two.
inline std::uint16_t to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

inline double factor(const cuda::Factor& f, Precision precision, const void* memory, std::int64_t row,
                     std::int64_t column) {
  const std::int64_t at = f.turned ? column * f.row + row : row * f.row + column;
  if (precision == Precision::kBfloat16)
    return std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t*>(memory)[at]} << 16);
  const float x = static_cast<const float*>(memory)[at];
  return precision == Precision::kTf32 ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u) : x;
}

/// The element of the product.
inline float sum(const cuda::ProductShape& shape, const void* left, const void* right, std::int64_t row,
                 std::int64_t column) {
  double total = 0.0;
  for (std::int64_t i = 0; i < shape.inner; ++i)
    total += factor(shape.left, shape.precision, left, row, i) * factor(shape.right, shape.precision, right, i, column);
  return static_cast<float>(total);
}

}  // namespace weft::standin
