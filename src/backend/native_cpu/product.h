// Matrix products through CBLAS. BLAS counts in int and dislikes empty matrices; both are kept from it here.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "src/backend/native_cpu/tiles.h"
#include "src/program/instruction.h"

namespace weft::native_cpu {

/// m rows (the batch), n outputs, k inputs.
struct Sizes {
  std::int64_t m, n, k;
};

/// Whether every size of the instruction fits BLAS's int, where it is one that calls BLAS.
inline bool fits_blas(const Instruction& i) {
  switch (i.op) {
    case Opcode::kForward:
    case Opcode::kGradInput:
    case Opcode::kWeightGrad:
    case Opcode::kUpdate:
    case Opcode::kTargetBelow: {
      constexpr std::int64_t kMost = std::numeric_limits<int>::max();
      return i.m <= kMost && i.n <= kMost && i.k <= kMost;
    }
    default: return true;
  }
}

/// An operand: row-major with rows `stride` apart; `transposed`: BLAS is to read it so.
struct Matrix {
  const float* values;
  std::int64_t stride;
  bool transposed = false;

  /// The same operand from row `r` and column `c` of what it stands for on.
  const float* from(std::int64_t r, std::int64_t c) const {
    return values + (transposed ? c * stride + r : r * stride + c);
  }
};

/// The tile of c = alpha a b + beta c with `inner` terms per sum; c has rows `stride` apart. beta is 0 or 1.
inline void product(Tile tile, std::int64_t inner, float alpha, Matrix a, Matrix b, float beta, float* c,
                    std::int64_t stride) {
  if (tile.rows == 0 || tile.columns == 0) return;
  c += tile.row * stride + tile.column;
  if (inner == 0) {
    if (beta != 0.0f) return;
    for (std::int64_t row = 0; row < tile.rows; ++row) std::fill_n(c + row * stride, tile.columns, 0.0f);
    return;
  }
  const auto op = [](const Matrix& matrix) { return matrix.transposed ? CblasTrans : CblasNoTrans; };
  const auto count = [](std::int64_t size) { return static_cast<int>(size); };
  cblas_sgemm(CblasRowMajor, op(a), op(b), count(tile.rows), count(tile.columns), count(inner), alpha,
              a.from(tile.row, 0), count(a.stride), b.from(0, tile.column), count(b.stride), beta, c, count(stride));
}

}  // namespace weft::native_cpu
