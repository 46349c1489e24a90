// GridNeeds: which of a schedule's intervals have to begin with a barrier, and for which calls.
#pragma once

#include <vector>

#include "src/generate/grid_schedule.h"

namespace weft {

/// Fills in `needed` of each interval and `settled`.
void find_needs(const Program& program, const BufferTable& buffers, GridSchedule& schedule);

}  // namespace weft
