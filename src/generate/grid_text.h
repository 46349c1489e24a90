// GridText: a program as the text of one kernel for all blocks of a grid, which runs many calls in one launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/generate/grid_homes.h"

namespace weft {

/// Where Run::state has what is kept from launch to launch, behind the counters of two barriers: what those are then,
/// and the versions of all notices.
inline constexpr int kGridKept = 64;

/// A kernel `weft_grid(Places places, Run run)` of src/kernels/grid/run.h, to be launched cooperatively with
/// `shape.blocks` blocks of 256 threads.
struct GridText {
  std::string before;  // in front of all other text
  std::string text;    // behind the text of src/kernels/grid/run.h
  int batch = 0;
  int input_width = 0, target_width = 0;  // elements of a sample that the program reads; 0: none
  int rounds = 0;                         // of exchange in a call
  int barriers = 0;                       // of those, the ones that begin with a barrier
  std::size_t shared_bytes = 0;           // of a block
  std::int64_t board = 0;                 // floats of device memory that the blocks tell each other things in
  int notices = 0;                        // on the board
  std::vector<BufferId> buffers;          // what places.at points to, each at its first slot
};

/// Errors: kUnsupported where the program does not fit the grid, with the reason.
Result<GridText> grid_text(const Program& program, const BufferTable& buffers, const GridShape& shape);

}  // namespace weft
