// Team: the threads that run a kernel body together. The body does not know whether they are a grid, a block of an
// interpreter or one thread of a CPU.
#pragma once

#include "src/kernels/dialect.h"

namespace weft {
namespace kernels {

/// Threads are numbered by rank within a group. Only the threads of one group meet at a barrier and share scratch;
/// groups split the work between them and never wait for each other.
struct Team {
  uint32_t rank, size;  // within the group
  uint32_t group, groups;
  WEFT_SHARED(float) scratch;  // kScratchFloats, or as many as the group has threads where that is more

  /// All threads of the group wait here; what they wrote before is seen by the others after.
  WEFT_METHOD void barrier() const { WEFT_BARRIER(); }

  // Independent items are dealt out one by one: first(), first() + stride(), ...
  WEFT_METHOD Index first() const { return static_cast<Index>(group) * size + rank; }
  WEFT_METHOD Index stride() const { return static_cast<Index>(groups) * size; }
};

// Products cut their result into square tiles, one group at a time each; a row of scratch is one longer than a tile's,
// so that a column's elements lie in different banks.
WEFT_CONSTANT uint32_t kTile = 32, kTileRow = kTile + 1;
WEFT_CONSTANT uint32_t kScratchFloats = 2 * kTile * kTileRow;

WEFT_ANYWHERE Index tiles_along(Index length) { return (length + kTile - 1) / kTile; }

}  // namespace kernels
}  // namespace weft
