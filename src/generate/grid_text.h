// GridText: a program as the text of one kernel for all blocks of a grid, which runs many calls in one launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/generate/grid_homes.h"

namespace weft {

/// A kernel `weft_grid(Places places, Run run)` of src/kernels/grid/run.h, to be launched cooperatively with
/// `shape.blocks` blocks of 256 threads.
struct GridText {
  std::string text;  // behind the text of src/kernels/grid/run.h
  int batch = 0;
  int input_width = 0, target_width = 0;  // elements of a sample that the program reads; 0: none
  int barriers = 0;                       // in a call
  std::size_t shared_bytes = 0;           // of a block
  std::int64_t exchange = 0;              // floats of device memory that the blocks pass things on in
  std::vector<BufferId> buffers;          // what places.at points to, each at its first slot
};

/// Errors: kUnsupported where the program does not fit the grid, with the reason.
Result<GridText> grid_text(const Program& program, const BufferTable& buffers, const GridShape& shape);

}  // namespace weft
