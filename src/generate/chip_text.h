// ChipText: a training program as the text of a kernel that keeps everything in the memory of one block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/generate/tile.h"
#include "src/generate/views.h"
#include "src/program/program.h"
#include "weft/status.hpp"

namespace weft {

struct ChipOptions {
  std::int64_t most_bytes = 0;  // of a block's memory
  // Threads 0: as many as are estimated to be fastest, at most most_threads. Lanes 1: threads know of each other by
  // barriers alone; for host C++, and for devices without operations of lanes.
  BlockShape block = {0, 32};
  int most_threads = 512;
};

struct ChipText {
  std::string text;  // to follow that of src/kernels; its kernel `train` takes Members (src/kernels/member.h)
  BlockShape block;
  std::int64_t bytes = 0;      // of a block's memory
  std::vector<BufferId> held;  // in the order of a Member's buffers
  Extent input, target;        // of a call; no rows where not read
  int levels = 0;
  double cycles = 0.0;  // of a call, a rough estimate
};

/// The same program, sizes and options give the same text, whatever the buffers' numbers are.
/// Errors: kUnsupported with the reason why the program cannot be run on a chip.
Result<ChipText> chip_text(const Program& program, const BufferTable& buffers, const ChipOptions& options);

/// The same with all that comes before it: the text for Metal's compiler, whole. Its kernel `train` takes what
/// TrainByPlaces (src/kernels/member.h) takes, for one network.
Result<ChipText> metal_chip_text(const Program& program, const BufferTable& buffers, const ChipOptions& options);

}  // namespace weft
