// Layout: where a program's buffers lie in the memory of one block.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "src/program/program.h"
#include "weft/status.hpp"

namespace weft {

/// A buffer on chip. Rows lie `ld` floats apart; where they are padded the padding holds zeros, and there are zero rows
/// up to a multiple of four.
struct OnChip {
  BufferId buffer = kNoBuffer;
  Element element = Element::kStorage;
  int at = 0;              // floats from the start of the memory; a multiple of four
  int rows = 1, cols = 1;  // that the program touches
  int ld = 1;
  int slots = 1, slot = 0;  // floats from slot to slot
  bool padded = false;      // else contiguous, however an instruction views it
  bool kept = false;        // has a meaning between calls, or to who reads the call's results
  bool written = false;
};

struct Layout {
  std::vector<OnChip> places;         // in the order that the program names them; the call's arguments as well
  std::map<BufferId, int> by_buffer;  // into places
  int floats = 0;                     // of everything
  int batches = 0;                    // slots of the ring of batches
  int batch = 0;                      // floats of a slot of the ring of batches
  int rate = 0;                       // where slot 0 of that ring has the call's learning rate
  const OnChip& operator[](BufferId buffer) const { return places[static_cast<std::size_t>(by_buffer.at(buffer))]; }
  bool has(BufferId buffer) const { return by_buffer.contains(buffer); }
};

/// Lays out a training program with four batches at a time, or two where four do not fit. Errors: kUnsupported with the
/// reason, as that more than `most_bytes` would be wanted.
Result<Layout> lay_out(const Program& program, const BufferTable& buffers, std::int64_t most_bytes);

}  // namespace weft
