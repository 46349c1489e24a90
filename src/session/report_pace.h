// ReportPace: after which calls of a fit a report is due.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "weft/session.hpp"

namespace weft {

class ReportPace {
 public:
  /// Of a fit of so many calls.
  ReportPace(const FitOptions& options, std::int64_t of) : of_(of), next_(of) {
    if (!options.report) return;
    step_ = std::max<std::int64_t>(options.report_every, 0);
    if (step_ == 0 && options.report_seconds > 0.0) seconds_ = options.report_seconds, step_ = 1;
    if (step_ > 0) next_ = std::min(step_, of_);
  }

  /// Calls made by when a run has to end.
  std::int64_t next() const { return next_; }

  /// Whether a report is due after so many calls, at most next(). Then the next one is later.
  bool due(std::int64_t calls) {
    if (step_ == 0 || calls < next_) return false;
    if (seconds_ > 0.0) adapt();
    next_ = std::min(next_ + step_, of_);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// A call may take from less than a microsecond to seconds, the first of them longer than others.
  void adapt() {
    constexpr double kMostGrowth = 4.0;
    const double took = std::chrono::duration<double>(Clock::now() - last_).count();
    last_ = Clock::now();
    const double factor = std::min(seconds_ / std::max(took, 1e-9), kMostGrowth);
    step_ = std::max(static_cast<std::int64_t>(static_cast<double>(step_) * factor), std::int64_t{1});
    step_ = std::min(step_, of_);
  }

  std::int64_t of_, next_;
  std::int64_t step_ = 0;  // calls from report to report; 0: there are none
  double seconds_ = 0.0;   // that they are to take; 0: the calls are given
  Clock::time_point last_ = Clock::now();
};

}  // namespace weft
