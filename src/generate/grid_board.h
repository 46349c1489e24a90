// GridBoard: what the blocks of a grid tell each other in words that say themselves whether they are there
// (src/kernels/grid/words.h), so that nobody waits for a barrier. The rest goes through buffers' own memory.
#pragma once

#include <cstdint>
#include <vector>

#include "src/generate/grid_pieces.h"

namespace weft {

/// One thing on the board. Each write of it is a version, and all blocks count them alike; a reader takes the latest,
/// of this call or of one before. Versions take turns in the slots.
struct GridNotice {
  GridObject object = 0;
  int slots = 2;             // a power of two; see GridBoard::make
  std::int64_t floats = 0;   // of a slot
  int lead = 0;              // from row to row, where there are rows
  std::int64_t at = 0;       // the first slot's floats from the start of the board
  bool kept = false;         // outlives a launch, so that each starts with telling it
  int lag = 0;               // of a ring: of its readers,
  int written = 0;           // and of the writers that tell it
  int sums = 0, column = 0;  // of sums: how many, and where they are among the words of a block's parts
  int first = -1;            // the notice whose words the parts begin with, and
  int words = 0;             // there: how many there are with those of others; their versions are alike
};

class GridBoard {
 public:
  /// Words of a block's parts of sums, as in src/kernels/grid/words.h.
  static constexpr int kPartWords = 8;

  /// The pieces are in the order in which a call runs them.
  static GridBoard make(const Program& program, const GridHomes& homes, const BufferTable& buffers, int blocks,
                        const std::vector<const GridPiece*>& steps);

  const std::vector<GridNotice>& notices() const { return notices_; }
  std::int64_t floats() const { return floats_; }
  /// The number of the notice that a reader or a writer of the object means; -1: there is none.
  int read(GridObject object, int lag) const;
  int written(GridObject object, int lag) const;
  /// Whether the two accesses, that touch, need no other order than the board's: one of them reads what is told.
  bool carries(const GridAccess& a, const GridAccess& b) const {
    return (a.writes || read(a.object, a.lag) >= 0) && (b.writes || read(b.object, b.lag) >= 0) &&
           !(a.writes && b.writes);
  }

 private:
  int find(GridObject object) const;
  void add(GridNotice notice);
  void add_sums(const Program& program, const GridPiece& piece, int blocks, int& open);

  std::vector<GridNotice> notices_;
  std::int64_t floats_ = 0;
};

}  // namespace weft
