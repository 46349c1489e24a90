// What an instruction and a program cost.
#pragma once

#include "src/program/program.h"

namespace weft {

/// Floating-point operations of the instruction's matrix product: 2 m n k, 0 where it has none.
double product_operations(const Instruction& instruction);

/// Of all instructions together, those under a predicate counted as run.
double product_operations(const Program& program);

}  // namespace weft
