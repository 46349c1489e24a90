// GridHomes: where each buffer of a program lives when the blocks of a grid train it together.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "src/program/program.h"
#include "weft/precision.hpp"
#include "weft/status.hpp"

namespace weft {

inline int div_up(int a, int b) { return (a + b - 1) / b; }
inline int round_up(int a, int unit) { return div_up(a, unit) * unit; }

/// What a grid is given to run on.
struct GridShape {
  int blocks = 1;        // all of them resident at once
  int shared_bytes = 0;  // a block's most
  Precision precision = Precision::kFloat32;
  double tile_share = 0.8;  // of the shared memory, for one matrix of weights and what its products need
  // Columns of rings that arguments are copied to come from the samples, and kept rows lie in shared memory too.
  bool roomy = true;
};

/// How a matrix [n, k] of weights is cut: along_n x along_k tiles of nt x kt, one for each of the first blocks, or the
/// last blocks in reverse. Thin weights are also kept whole in device memory: every block reads them for its own rows.
struct GridTiling {
  int n = 0, k = 0;
  int along_n = 1, along_k = 1;
  int nt = 0, kt = 0;
  bool thin = false;
  bool reads_input = false;  // x is the call's input at some forward
  int lead() const;          // floats from row to row of a tile in shared memory
  int padded_rows() const;
};

/// Leading dimension of 4 x odd floats: 16-byte loads of a column in 8 successive rows touch all 32 banks once.
int padded_lead(int columns);

/// Rough cycles of a block's product of matrices in shared memory, and how many 8 columns a warp takes best.
struct TileProductCost {
  double cycles = 0.0;
  int wide = 0;
};
TileProductCost tile_product_cost(int rows, int columns, int inner, bool exact);

enum class GridHome : std::uint8_t {
  kUnused,
  kArgument,  // the call's input or target: rows among the samples
  kRows,      // [batch, width]: every block owns some rows
  kTiles,     // [n, k]: tiles in shared memory
  kVector,    // [n]: every block owns some columns, in device memory
  kNumber,    // one real or counter, the same in every block
};

struct GridPlace {
  GridHome home = GridHome::kUnused;
  int width = 0;   // kArgument, kRows: of a row; kVector: elements
  int tiling = 0;  // kTiles
};

class GridHomes {
 public:
  /// Errors: kUnsupported with the buffer or instruction that fits no home.
  static Result<GridHomes> make(const Program& program, const BufferTable& buffers, const GridShape& shape);

  int batch() const { return batch_; }
  int rows() const { return rows_; }  // of the batch that a block owns, at most
  const GridPlace& operator[](BufferId id) const { return places_.at(id); }
  bool knows(BufferId id) const { return places_.contains(id); }
  const GridTiling& tiling_of(BufferId id) const { return tilings_[static_cast<std::size_t>(places_.at(id).tiling)]; }
  const std::vector<GridTiling>& tilings() const { return tilings_; }
  const std::map<BufferId, GridPlace>& all() const { return places_; }
  /// The argument that the operand is all of, of this call or of the one before: itself, or what every call begins with
  /// copying to a ring. Whoever needs columns of it takes them from the samples. kNoBuffer: none.
  BufferId argument_of(const Operand& operand) const;
  /// The rings that arguments are copied to.
  const std::map<BufferId, BufferId>& copies() const { return copies_; }

 private:
  Status settle(const Program& program);
  Status put(BufferId id, GridPlace place);
  int tiling(int n, int k);
  void find_copies(const Program& program);
  Status cut(const Program& program, const GridShape& shape);

  int batch_ = 0, rows_ = 0;
  std::map<BufferId, GridPlace> places_;
  std::map<BufferId, BufferId> copies_;  // rings of arguments
  std::vector<GridTiling> tilings_;
  const BufferTable* buffers_ = nullptr;
};

}  // namespace weft
