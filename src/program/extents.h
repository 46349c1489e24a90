// Extents: how far into its operands' memory an instruction reaches.
#pragma once

#include <array>
#include <cstdint>

#include "src/program/instruction.h"

namespace weft {

/// Elements from each operand's start, in the order of instructions.def; what it says of absent operands is
/// meaningless.
struct Extents {
  std::array<std::int64_t, 3> in{};
  std::array<std::int64_t, 3> out{};
};

Extents extents(const Instruction& instruction);

}  // namespace weft
