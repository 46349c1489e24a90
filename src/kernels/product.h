// Products of matrices of any shape and order, through square tiles in a group's scratch.
#pragma once

#include "src/kernels/team.h"

namespace weft {
namespace kernels {

/// A matrix by its strides: element (r, c) is at[r * row + c * column]. One of the strides is 1.
struct Matrix {
  WEFT_GLOBAL(const float) at;
  Index row, column;
};

/// x[rows, columns], row-major, and its transpose.
WEFT_DEVICE Matrix row_major(WEFT_GLOBAL(const float) x, Index columns) { return Matrix{x, columns, 1}; }
WEFT_DEVICE Matrix transposed(WEFT_GLOBAL(const float) x, Index columns) { return Matrix{x, 1, columns}; }

/// The tile of `from` at (row, column) into scratch, zeros beyond its edges.
WEFT_DEVICE void stage(WEFT_ARG(Team) team, WEFT_ARG(Matrix) from, Index row, Index rows, Index column, Index columns,
                       WEFT_SHARED(float) tile) {
  for (uint32_t e = team.rank; e < kTile * kTile; e += team.size) {
    // Neighbouring threads take elements that are neighbours in memory.
    const uint32_t slow = e / kTile, fast = e % kTile;
    const uint32_t r = from.column == 1 ? slow : fast, c = from.column == 1 ? fast : slow;
    const bool inside = row + r < rows && column + c < columns;
    tile[r * kTileRow + c] = inside ? from.at[(row + r) * from.row + (column + c) * from.column] : 0.0f;
  }
}

/// store(row, column, sum) for every element of a[rows, inner] b[inner, columns]. Terms are added from the first to the
/// last, by fused multiply-add; the store may overwrite nothing that a or b hold.
template <typename Store>
WEFT_DEVICE void product(WEFT_ARG(Team) team, Index rows, Index columns, Index inner, WEFT_ARG(Matrix) a,
                         WEFT_ARG(Matrix) b, WEFT_ARG(Store) store) {
  constexpr uint32_t kEach = 4;  // elements of a tile that a thread keeps at a time
  WEFT_SHARED(float) tile_a = team.scratch;
  WEFT_SHARED(float) tile_b = team.scratch + kTile * kTileRow;
  const Index across = tiles_along(columns), tiles = tiles_along(rows) * across;
  for (Index tile = team.group; tile < tiles; tile += team.groups) {
    const Index row = tile / across * kTile, column = tile % across * kTile;
    for (uint32_t begin = 0; begin < kTile * kTile; begin += kEach * team.size) {
      float sums[kEach] = {};
      for (Index i = 0; i < inner; i += kTile) {
        team.barrier();  // the tiles before these have been used
        stage(team, a, row, rows, i, inner, tile_a);
        stage(team, b, i, inner, column, columns, tile_b);
        team.barrier();
        for (uint32_t each = 0; each < kEach; ++each) {
          const uint32_t e = begin + each * team.size + team.rank;
          if (e >= kTile * kTile) break;
          const WEFT_SHARED(float) from_a = tile_a + e / kTile * kTileRow;
          const WEFT_SHARED(float) from_b = tile_b + e % kTile;
          for (uint32_t j = 0; j < kTile; ++j) sums[each] = fma(from_a[j], from_b[j * kTileRow], sums[each]);
        }
      }
      for (uint32_t each = 0; each < kEach; ++each) {
        const uint32_t e = begin + each * team.size + team.rank;
        const Index r = row + e / kTile, c = column + e % kTile;
        if (e < kTile * kTile && r < rows && c < columns) store(r, c, sums[each]);
      }
    }
  }
}

}  // namespace kernels
}  // namespace weft
