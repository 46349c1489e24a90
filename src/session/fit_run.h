// FitRun: a fit on its way, as runs of calls that one program serves.
#pragma once

#include <memory>

#include "src/backend/call_run.h"
#include "src/program/program.h"
#include "src/schedule/schedule.h"
#include "src/session/device_key.h"
#include "src/session/fit_calls.h"
#include "src/session/fit_progress.h"
#include "weft/session.hpp"

namespace weft {

struct HeldSamples::Impl {
  DeviceKey device;  // where they are
  std::unique_ptr<HeldRows> rows;
  Shape input, target;  // of all samples
};

/// next_run says what to run next, end_run what came of it, until progress.done().
struct FitRun {
  FitProgress progress;
  Mode mode;
  int ticks = 1, alt_times = 1;
  Shape input, target;  // of a batch
  std::shared_ptr<const FitCalls> all;

  // The run that next_run made.
  Call call;
  const Program* program = nullptr;
  CallRun calls;
  RunLosses losses;  // of the fit, the run's among them once it has run

  FitResult result() const {
    FitResult result = progress.result();
    result.dropped = all->dropped();
    return result;
  }
};

}  // namespace weft
