// ReductionText: how threads' sums become one number that every thread has, as text.
#pragma once

#include <string>

#include "src/generate/chip_plan.h"
#include "src/generate/part_text.h"

namespace weft {

/// Each warp's sum into the block's memory, a level after the threads have added up theirs.
std::string partial_text(const TextSource& source, const ChipPlan& plan, int reduction);

/// The number and what follows of it, a level later; what is looked for in memory is written there.
std::string result_text(const TextSource& source, const ChipPlan& plan, int reduction);

}  // namespace weft
