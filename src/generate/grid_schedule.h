// GridSchedule: the pieces of a program in an order that needs few rounds of exchange between the blocks of a grid.
#pragma once

#include <cstddef>
#include <vector>

#include "src/generate/grid_board.h"
#include "src/generate/grid_pieces.h"

namespace weft {

/// Within an interval no block needs what another has done in the same one.
struct GridInterval {
  // It begins with a barrier where one of these holds: what the board does not carry. Each is a list of predicates of
  // which all must hold, an empty one always. All blocks see the same counters, so they agree.
  std::vector<std::vector<Predicate>> needed;
  std::vector<GridPiece> late;    // run first, while what the others have told is on its way
  std::vector<GridPiece> pieces;  // run after that has come
};

struct GridSchedule {
  static constexpr std::size_t kNever = 1 << 20;

  std::vector<GridInterval> intervals;
  GridBoard board;
  bool remembers = false;  // something that blocks tell each other goes through memory
  // The first interval that has to wait until all blocks have ended the call before.
  std::size_t settled = kNever;
};

GridSchedule grid_schedule(const Program& program, const GridHomes& homes, const BufferTable& buffers, int blocks);

}  // namespace weft
