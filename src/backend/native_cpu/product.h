// Matrix products through CBLAS. BLAS counts in int and dislikes empty matrices; both are kept from it here.
#pragma once

#include <cblas.h>

#include <cstdint>
#include <limits>

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

/// c[rows,columns] = alpha op(a) op(b) + beta c with `inner` terms per sum; op transposes where asked. beta is 0 or 1.
inline void product(bool transpose_a, bool transpose_b, std::int64_t rows, std::int64_t columns, std::int64_t inner,
                    float alpha, const float* a, const float* b, float beta, float* c) {
  if (rows == 0 || columns == 0) return;
  if (inner == 0) {
    if (beta == 0.0f) {
      for (std::int64_t i = 0; i < rows * columns; ++i) c[i] = 0.0f;
    }
    return;
  }
  const int m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(inner);
  cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, m, n, k,
              alpha, a, transpose_a ? m : k, b, transpose_b ? k : n, beta, c, n);
}

}  // namespace weft::native_cpu
