// Program: the flat list of instructions that one training call runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/program/instruction.h"
#include "weft/loss.hpp"
#include "weft/optimizer.hpp"
#include "weft/shape.hpp"

namespace weft {

struct Program {
  std::uint64_t id = 0;  // unlike any other program's; 0: it has none, and no device may remember it
  std::string title;
  Loss loss = Loss::kMse;
  Optimizer optimizer;
  std::vector<Instruction> code;
  std::vector<std::int32_t> levels;  // one per instruction; equal levels are independent of each other
  Operand output;                    // inference: the model's output
  Shape output_shape;
  BufferId loss_value = kNoBuffer;   // real: the loss of the last gap; kNoBuffer where none is taken
  BufferId loss_finite = kNoBuffer;  // flag
};

}  // namespace weft
