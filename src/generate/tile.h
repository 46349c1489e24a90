// Tile: how the threads of a block share a product.
#pragma once

#include "src/program/instruction.h"

namespace weft {

/// A block: `threads` in warps of `lanes`.
struct BlockShape {
  int threads = 32, lanes = 32;
  int warps() const { return threads / lanes; }
};

/// The product of an instruction as a block sees it: rows x cols sums of `inner` terms. `quad_inner`: terms can be read
/// four at a time, `quad_cols`: neighbouring columns.
struct Product {
  Opcode op = Opcode::kForward;
  int rows = 1, cols = 1, inner = 1;
  bool quad_inner = true, quad_cols = true, quad_rows = true;
};

/// As Plan in src/kernels/tiles.h.
struct Tile {
  int rows = 1, cols = 1;     // of a thread
  int split = 0, across = 0;  // log2
  int tiles = 1;              // of the block
  double cycles = 0.0;        // a rough estimate
};

Tile choose_tile(const Product& product, const BlockShape& block);

}  // namespace weft
