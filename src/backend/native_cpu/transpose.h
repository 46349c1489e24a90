// Transposition: a matrix turned into the order in which a product reads it.
#pragma once

#include <cstdint>

namespace weft::native_cpu {

/// to[k,n] = from[n,k]^T; rows of `from` are from_row apart, those of `to` to_row.
void transpose(std::int64_t n, std::int64_t k, const float* from, std::int64_t from_row, float* to,
               std::int64_t to_row);

}  // namespace weft::native_cpu
