// The mesh's clock: which cells run at which tick, and where their values are.
#pragma once

#include <optional>
#include <vector>

#include "src/layers/tape.h"
#include "src/plan/plan.h"

namespace weft {

/// The tapes of every tick of a call. Ticks and cells count from 0.
struct MeshTape {
  Value input;
  Value output;
  std::vector<std::vector<std::optional<Tape>>> ticks;  // [tick][cell]; empty where the cell did not run
  std::vector<Value> values;                            // each cell's value after the last tick, absent where empty

  /// The cells that ran at the last tick, as one tape.
  Tape last_tick() const;
  /// The cell's latest tape, null where it never ran.
  const Tape* latest(std::size_t cell) const;
};

/// Lays out the tapes of `ticks` ticks, buffers named "<prefix>tick<t>/...". Errors: kInvalidArgument where
/// the output stays empty, naming the smallest sufficient number of ticks; a cell whose shapes do not fit.
Result<MeshTape> lay_out_clock(Plan& plan, const Value& input, int ticks, const std::string& prefix);

/// Emits the forward passes in the clock's order.
void emit_clock(Builder& builder, const MeshTape& mesh);

}  // namespace weft
