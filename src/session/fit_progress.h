// FitProgress: counts the calls of a fit and tells the caller of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weft/session.hpp"

namespace weft {

/// A mean of losses.
class MeanLoss {
 public:
  void add(double loss) { sum_ += loss, ++count_; }
  double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0; }

 private:
  double sum_ = 0.0;
  std::int64_t count_ = 0;
};

class FitProgress {
 public:
  FitProgress(const FitOptions& options, std::int64_t calls)
      : every_(options.report ? options.report_every : 0), report_(options.report), of_(calls) {}

  void add(const TrainResult& step) {
    ++result_.calls;
    if (step.filling) {
      ++result_.filling;
    } else if (!step.finite) {
      ++result_.non_finite;
    } else {
      all_.add(step.loss);
      recent_.add(step.loss);
    }
    if (every_ <= 0 || (result_.calls % every_ != 0 && result_.calls != of_)) return;
    result_.stopped = !report_({result_.calls, of_, recent_.value()}) && result_.calls < of_;
    recent_ = {};
  }
  /// Calls until the next report, or the end.
  std::int64_t until_report() const {
    const std::int64_t left = of_ - result_.calls;
    return every_ > 0 ? std::min(left, every_ - result_.calls % every_) : left;
  }
  bool done() const { return result_.stopped || result_.calls == of_; }
  std::int64_t calls() const { return result_.calls; }
  FitResult result() const {
    FitResult result = result_;
    result.loss = all_.value();
    return result;
  }

 private:
  std::int64_t every_;  // 0: no reports
  std::function<bool(const FitReport&)> report_;
  std::int64_t of_;
  FitResult result_;
  MeanLoss all_, recent_;
};

}  // namespace weft
