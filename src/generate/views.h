// Views: how each instruction sees its operands as matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "src/program/instruction.h"

namespace weft {

/// One operand of an instruction.
struct OperandView {
  enum class Form : std::uint8_t {
    kMatrix,  // rows x cols, of which an instruction may use some columns
    kFlat,    // all elements one after the other
    kNumber,  // a single real or counter
  };
  Operand operand;
  int place = 0;  // 0 to 2: in[place], or out[place]
  bool writes = false;
  Form form = Form::kMatrix;
  std::int64_t rows = 1, cols = 1;
  bool aligned = false;  // element (row, col) belongs to element (row, col) of the result, and to no other
};

/// The operands that are there, inputs first. What the instruction writes it may also have read (reads_outputs).
std::vector<OperandView> views(const Instruction& instruction);

/// The result's rows and columns: what an instruction's threads share. Where the operation is flat, rows is 1.
struct Extent {
  std::int64_t rows = 1, cols = 1;
  std::int64_t elements() const { return rows * cols; }
};
Extent result_of(const Instruction& instruction);

}  // namespace weft
