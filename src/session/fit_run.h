// FitRun: a fit on its way, as runs of calls that one program serves.
#pragma once

#include <span>
#include <vector>

#include "src/backend/call_run.h"
#include "src/program/program.h"
#include "src/schedule/schedule.h"
#include "src/session/device_key.h"
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
  /// Bounds the memory of a run's losses, and how long a device is on its own.
  static constexpr std::int64_t kMostCalls = 1 << 16;

  FitProgress progress;
  Mode mode;
  int ticks = 1, alt_times = 1;
  Shape input, target;  // of a batch
  std::int64_t batch = 1, dropped = 0;
  std::vector<std::int64_t> permuted;   // the order, where none was given
  std::span<const std::int64_t> order;  // of the samples
  std::vector<double> constant;         // the rates of a run, where one serves all calls
  std::span<const double> rates;        // of all calls; empty: constant
  std::vector<CallLoss> losses;

  Call call;
  const Program* program = nullptr;
  CallRun calls;  // the run that next_run made

  FitResult result() const {
    FitResult result = progress.result();
    result.dropped = dropped;
    return result;
  }
};

}  // namespace weft
