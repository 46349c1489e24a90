// Matrix products in vector registers: what a piece of a product is made of. No cache or thread is thought of here.
#pragma once

#include <cstdint>

namespace weft::native_cpu {

/// c[row, j] = start[row, j] + alpha * sum over t < inner of a[row, t] b[t, j]
///
/// a is read at row * a_row + t * a_term, so that it may lie transposed; b and c are row-major. `start` may be c
/// (adds), one row with start_row 0 (a bias), or null (zero). For every element the terms are added from the first to
/// the last, wherever it lies, and then `start`.
struct VectorProduct {
  std::int64_t rows, columns, inner;
  float alpha;
  const float* a;
  std::int64_t a_row, a_term;
  const float* b;
  std::int64_t b_row;
  const float* start;
  std::int64_t start_row;
  float* c;
  std::int64_t c_row;
};
void vector_product(const VectorProduct& product);

/// z[m,n] = x[m,k] w[n,k]^T + b[n], b may be null: a dot product for each element, for few rows.
void vector_dots(std::int64_t m, std::int64_t n, std::int64_t k, const float* x, const float* w, const float* b,
                 float* z);

/// Whether this machine's vectors have 512 bits or more.
bool vectors_are_wide();

}  // namespace weft::native_cpu
