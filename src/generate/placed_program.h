// PlacedProgram: a training program as the data that src/kernels/interpreter.h runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/program/program.h"
#include "weft/status.hpp"

namespace weft {

struct PlacedText {
  std::vector<std::byte> bytes;                          // a kernels::PlacedProgram with its steps and buffers
  std::int64_t memory_bytes = 0;                         // of a block
  std::vector<BufferId> held;                            // in the order of a Member's buffers
  std::int64_t input_elements = 0, target_elements = 0;  // of a call; 0 where not read
};

/// Errors: kUnsupported with the reason why the program cannot be run by one block with `most_bytes` of memory.
Result<PlacedText> place_program(const Program& program, const BufferTable& buffers, std::int64_t most_bytes);

}  // namespace weft
