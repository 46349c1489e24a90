// Tiles: how a product is cut into pieces for threads. The cut depends on the sizes alone, never on the number of
// threads, so that any number of them gives the same bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/backend/native_cpu/team.h"

namespace weft::native_cpu {

/// A part of a matrix.
struct Tile {
  std::int64_t row, column, rows, columns;
};

/// A cut of a product's result [rows, columns] with `inner` terms per sum.
///
/// BLAS packs both operands anew for each tile. Cut along the columns of a row-major result that costs next to nothing
/// (OpenBLAS, AVX-512: 0 to 5 % with four tiles), along the rows up to 25 %, so rows are cut last.
class Tiling {
 public:
  Tiling(std::int64_t rows, std::int64_t columns, std::int64_t inner) : rows_(rows), columns_(columns) {
    const double work = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner);
    const auto most = static_cast<std::int64_t>(std::min<double>(kMostTiles, work / kLeastWork));
    width_ = edge(columns, std::min(most, columns / kLeastColumns));
    across_ = pieces(columns, width_);
    height_ = edge(rows, std::min(most / std::max<std::int64_t>(across_, 1), rows / kLeastRows));
    down_ = pieces(rows, height_);
  }

  std::int64_t count() const { return across_ * down_; }
  Tile operator[](std::int64_t i) const {
    const std::int64_t row = i / across_ * height_, column = i % across_ * width_;
    return {row, column, std::min(height_, rows_ - row), std::min(width_, columns_ - column)};
  }

 private:
  static constexpr std::int64_t kMostTiles = 8;
  static constexpr double kLeastWork = 4e6;  // operations: some tens of microseconds, many times a wake-up
  static constexpr std::int64_t kLeastColumns = 64, kLeastRows = 128;
  static constexpr std::int64_t kUnit = 16;  // a vector register of columns

  static std::int64_t pieces(std::int64_t length, std::int64_t edge) {
    return edge == 0 ? 0 : (length + edge - 1) / edge;
  }
  static std::int64_t edge(std::int64_t length, std::int64_t wanted) {
    if (wanted <= 1) return length;
    return ((length + wanted - 1) / wanted + kUnit - 1) / kUnit * kUnit;
  }

  std::int64_t rows_, columns_, width_, height_, across_, down_;
};

/// Runs each(tile) over the tiles of a product's result.
template <typename Each>
void for_each_tile(Team& team, const Tiling& tiling, const Each& each) {
  team.run(tiling.count(), [&](std::int64_t i) { each(tiling[i]); });
}

/// Runs each(first, count) over pieces of contiguous elements whose values do not depend on each other.
template <typename Each>
void for_each_piece(Team& team, std::int64_t elements, const Each& each) {
  constexpr std::int64_t kPiece = 1 << 15;
  if (elements <= 2 * kPiece) return each(std::int64_t{0}, elements);
  team.run((elements + kPiece - 1) / kPiece,
           [&](std::int64_t i) { each(i * kPiece, std::min(kPiece, elements - i * kPiece)); });
}

}  // namespace weft::native_cpu
