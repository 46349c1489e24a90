// GridSchedule: a program's instructions as pieces of work for the blocks of a grid, in an order that needs few
// barriers.
#pragma once

#include <cstdint>
#include <vector>

#include "src/generate/grid_homes.h"

namespace weft {

/// Who of a grid's blocks runs a piece: the owners of batch rows, of tiles, of vectors' columns, or all alike.
enum class GridOwner : std::uint8_t { kRows, kTiles, kVector, kEvery };

enum class GridWork : std::uint8_t {
  kTileProduct,  // forward, grad_input, target_below: partial products of a tile
  kReduce,       // the same instruction's rest: sums of partial products
  kThinProduct,  // forward, grad_input, target_below on own rows with all weights
  kWeights,      // weight_grad, update
  kBias,         // bias_grad, bias_update
  kElements,     // elementwise
  kWholeRows,    // softmax, softmax_grad, row_dot
  kSum,          // loss_gap, rms, clip, is_finite, link_budget: own terms
  kResult,       // the same instruction's numbers, from the sums
  kNumber,       // count, set, equals, refresh, ratio
};

/// Something that pieces read and write: a buffer, or what the two pieces of one instruction pass on.
using GridObject = std::int32_t;

struct GridAccess {
  GridObject object;
  bool writes;
  bool remote;  // it concerns what other blocks own
};

struct GridPiece {
  GridWork work;
  GridOwner owner;
  std::int32_t instruction;
  std::vector<GridAccess> accesses;
  std::vector<Predicate> when;  // those of the instruction that it has to look at
};

/// Between two barriers all blocks run the same pieces, each its own part.
struct GridInterval {
  // The barrier before it is needed where one of these holds; each is a list of predicates of which all must hold, an
  // empty one always. All blocks see the same counters, so they agree.
  std::vector<std::vector<Predicate>> needed;
  std::vector<GridPiece>
      late;  // run after the blocks have arrived at the barrier before, while they wait for the others
  std::vector<GridPiece> pieces;  // run after it
};

struct GridSchedule {
  std::vector<GridInterval> intervals;  // a barrier between each two
  bool barrier_at_end = false;          // and one before the next call
};

/// What an instruction's two pieces pass on: partial products or sums.
constexpr GridObject kGridPassed = 1 << 24;

GridSchedule grid_schedule(const Program& program, const GridHomes& homes, const BufferTable& buffers);

/// Whether never both pieces run in a call: their conditions are opposite, on a flag that a call sets once.
bool exclusive(const Program& program, const GridPiece& a, const GridPiece& b);
/// Whether an instruction waits for the predicate to be false.
bool has_opposite(const Program& program, const Predicate& predicate);

/// Whether every reader's conditions include all of a writer's.
bool includes(const std::vector<Predicate>& reader, const std::vector<Predicate>& writer);

}  // namespace weft
