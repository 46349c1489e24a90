// GridPieces: a program's instructions cut into pieces of work for the blocks of a grid.
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

/// Work on single numbers, that one warp of each block does.
inline bool counts(GridWork work) { return work == GridWork::kResult || work == GridWork::kNumber; }

/// Something that pieces read and write: a buffer, or what the two pieces of one instruction pass on.
using GridObject = std::int32_t;

/// What an instruction's two pieces pass on: partial products or sums.
constexpr GridObject kGridPassed = 1 << 24;

struct GridAccess {
  GridObject object;
  bool writes;
  bool remote;  // it concerns what other blocks own
  int lag = 0;
};

struct GridPiece {
  GridWork work;
  GridOwner owner;
  std::int32_t instruction;
  std::vector<GridAccess> accesses;
  std::vector<Predicate> when;  // those of the instruction that it has to look at
};

/// Whether a piece that adds up terms tells its part in every call, under its conditions or not.
bool tells_always(const Program& program, const GridPiece& sum);
/// How many sums the instruction makes of its terms.
inline int sums_of(const Instruction& i) { return i.op == Opcode::kLinkBudget ? 3 : 1; }

/// In the program's order.
std::vector<GridPiece> grid_pieces(const Program& program, const GridHomes& homes);

/// Whether both touch the object and one of them writes it.
inline bool touch(const GridAccess& a, const GridAccess& b) { return a.object == b.object && (a.writes || b.writes); }
/// Whether the piece writes the object.
bool writes(const GridPiece& piece, GridObject object);
/// Whether what one of them does concerns what the other's blocks own: then they lie in different intervals.
bool across(const GridPiece& a, const GridPiece& b);

bool opposite(const Predicate& a, const Predicate& b);
/// Whether an instruction sets the buffer.
bool sets(const Instruction& i, BufferId buffer);
/// Whether never both pieces run in a call: their conditions are opposite, on a flag that a call sets once.
bool exclusive(const Program& program, const GridPiece& a, const GridPiece& b);
/// Whether an instruction waits for the predicate to be false.
bool has_opposite(const Program& program, const Predicate& predicate);
/// Whether the reader's conditions include all of a writer's.
bool includes(const std::vector<Predicate>& reader, const std::vector<Predicate>& writer);

}  // namespace weft
