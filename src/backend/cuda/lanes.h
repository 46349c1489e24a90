// Lanes: which of a few streams each task goes to, and for which tasks on others it waits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/backend/cuda/task.h"

namespace weft::cuda {

/// A task of one call.
struct Turn {
  const Task* task;
  Call call;
};

struct Seat {
  std::size_t lane = 0;
  std::vector<std::size_t> waits;  // for turns on other lanes
  bool waited_for = false;         // by a turn on another lane
};

/// A seat for each turn; what a turn reads has been written, and what it writes been read, when it begins.
std::vector<Seat> seat(std::span<const Turn> turns, const StepMemory& memory, std::size_t lanes);

}  // namespace weft::cuda
