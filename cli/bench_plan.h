// PlannedStep: what is known of a training step before it is timed.
#pragma once

#include <cstdint>

#include "cli/bench_report.h"

namespace weft::cli {

struct PlannedStep {
  std::int64_t weights = 0;     // elements, biases too
  std::int64_t tape_bytes = 0;  // of tapes, gaps, gradients and samples in the pipe
};

/// The step's program, built without memory for it. Errors: as Session::train where the mode refuses the model, the
/// loss or the optimizer; kResourceExhausted where it would not fit in memory.
Result<PlannedStep> plan_step(const BenchWork& work, Mode mode, const BenchSettings& settings);

}  // namespace weft::cli
