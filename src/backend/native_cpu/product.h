// The matrix products of dense layers: cut for caches and threads, and given to vector registers or to the BLAS.
#pragma once

#include <cstdint>

#include "src/backend/native_cpu/team.h"

namespace weft::native_cpu {

/// m rows (the batch), n outputs, k inputs.
struct Sizes {
  std::int64_t m, n, k;
};

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

/// Operations from which on threads share a product: five microseconds or more, several times a hand-over.
inline constexpr double kWorkForThreads = 1e6;

/// The pieces that a product is cut into for so many threads.
class Cut {
 public:
  Cut(const Product& product, int threads);
  std::int64_t count() const { return down_.parts * across_.parts; }
  Piece operator[](std::int64_t i) const;

 private:
  /// A length in parts that differ by no more than a unit, the longer ones first.
  struct Split {
    std::int64_t length, unit, parts;
    std::int64_t start(std::int64_t part) const;
  };
  Split down_, across_;
};

void compute(const Product& product, const Piece& piece);

/// The product with a transposed `a` copied row by row, where it would be read with long steps many times over. The
/// copy belongs to the calling thread and holds until its next product.
Product straightened(Team& team, const Product& product);
bool needs_straightening(const Product& product);

/// Computes a product, each piece followed by done(piece) in the thread that made it.
template <typename Done>
void multiply(Team& team, const Product& given, const Done& done) {
  const Cut pieces(given, team.threads());
  const Product product = straightened(team, given);
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
