// The matrix products of dense layers: cut for caches and threads, and given to vector registers or to the BLAS.
#pragma once

#include <cstdint>

#include "src/backend/native_cpu/team.h"
#include "src/program/instruction.h"

namespace weft::native_cpu {

/// m rows (the batch), n outputs, k inputs.
struct Sizes {
  std::int64_t m, n, k;
};

/// Whether every size of the instruction fits BLAS's int, where it is one that may call BLAS.
bool fits_blas(const Instruction& instruction);

/// An operand whose element (row, column) lies at row * row_step + column * column_step; one of the steps is 1.
struct Matrix {
  const float* values;
  std::int64_t row_step, column_step;
};

/// c[rows,columns] = start + alpha a b with `inner` terms per sum. c is row-major and dense. `start` may be c (adds), a
/// row for all rows (start_row 0) or null (zero).
///
/// Each element is the sum of its terms from the first to the last, however the product is cut: any number of threads
/// gives the same bits. (Few rows times a transposed b are sums of lanes; large products are BLAS's, cut by size
/// alone.)
struct Product {
  std::int64_t rows, columns, inner;
  float alpha;
  Matrix a, b;
  const float* start;
  std::int64_t start_row;
  float* c;
};

/// A part of a product's result.
struct Piece {
  std::int64_t row, column, rows, columns;
};

/// The pieces that a product is cut into for so many threads.
class Cut {
 public:
  Cut(const Product& product, int threads);
  std::int64_t count() const;
  Piece operator[](std::int64_t i) const;

 private:
  std::int64_t rows_, columns_, height_, width_;
};

void compute(const Product& product, const Piece& piece);

/// Computes a product, each piece followed by done(piece) in the thread that made it.
template <typename Done>
void multiply(Team& team, const Product& product, const Done& done) {
  const Cut pieces(product, team.threads());
  team.run(pieces.count(), [&](std::int64_t i) {
    compute(product, pieces[i]);
    done(pieces[i]);
  });
}

inline void multiply(Team& team, const Product& product) {
  multiply(team, product, [](const Piece&) {});
}

/// Runs each(first, count) over pieces of contiguous elements whose values do not depend on each other.
template <typename Each>
void for_each_run(Team& team, std::int64_t elements, const Each& each) {
  constexpr std::int64_t kRun = 1 << 13;
  if (elements <= 2 * kRun) return each(std::int64_t{0}, elements);
  team.run((elements + kRun - 1) / kRun,
           [&](std::int64_t i) { each(i * kRun, elements - i * kRun < kRun ? elements - i * kRun : kRun); });
}

}  // namespace weft::native_cpu
