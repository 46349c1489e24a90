// FitProgress: counts the calls of a fit and tells the caller of them.
#pragma once

#include <cstdint>

#include "src/backend/run_losses.h"
#include "src/session/report_pace.h"
#include "weft/session.hpp"

namespace weft {

class FitProgress {
 public:
  FitProgress(const FitOptions& options, std::int64_t calls)
      : pace_(options, calls), report_(options.report), of_(calls) {}

  /// What the losses of the next run are added to.
  const RunLosses& losses() const { return losses_; }

  /// After a run of calls, at most until_report() of them; `losses` are what losses() became.
  void add(std::int64_t calls, const RunLosses& losses) {
    result_.non_finite += calls - (losses.all.count - losses_.all.count);
    losses_ = losses;
    advance(calls);
  }
  /// After calls that took no loss: a line fills.
  void add_filling(std::int64_t calls) {
    result_.filling += calls;
    advance(calls);
  }

  /// Calls until the next report, or the end.
  std::int64_t until_report() const { return pace_.next() - result_.calls; }
  std::int64_t left() const { return of_ - result_.calls; }
  bool done() const { return result_.stopped || result_.calls == of_; }
  std::int64_t calls() const { return result_.calls; }
  FitResult result() const {
    FitResult result = result_;
    result.loss = losses_.all.mean();
    return result;
  }

 private:
  void advance(std::int64_t calls) {
    result_.calls += calls;
    if (!pace_.due(result_.calls)) return;
    result_.stopped = !report_({result_.calls, of_, losses_.recent.mean()}) && result_.calls < of_;
    losses_.recent = {};
  }

  ReportPace pace_;
  std::function<bool(const FitReport&)> report_;
  std::int64_t of_;
  FitResult result_;
  RunLosses losses_;
};

}  // namespace weft
