// Progress: a training as it goes by.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/metrics.h"
#include "weft/session.hpp"

namespace weft::cli {

enum class ProgressStyle : std::uint8_t {
  kNone,
  kLines,     // "epoch=1 loss=..." for each epoch
  kJson,      // a JSON object for each epoch
  kTerminal,  // one line that is written over
};

/// The style for this stdout. `quiet` comes first.
ProgressStyle progress_style(bool quiet, bool json);

class Progress {
 public:
  /// `batch`: samples in a call.
  Progress(ProgressStyle style, std::int64_t epochs, std::int64_t batch);
  ~Progress();

  void start_epoch(std::int64_t number);
  /// Some calls later. Draws a few times a second; otherwise costs a look at the clock.
  void report(const FitReport& calls);
  void end_epoch(const EpochMetrics& metrics);
  /// "weft train: <text>" on stderr, on a line of its own.
  void note(std::string_view text);
  /// Ends the line that was written over.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(Clock::time_point now);
  std::string line(Clock::time_point now) const;

  ProgressStyle style_;
  bool colour_, open_ = false;
  std::int64_t epochs_, batch_;
  std::int64_t epoch_ = 0, calls_ = 0, of_ = 0;  // of the epoch under way
  double loss_ = 0.0, weight_ = 0.0;             // mean over so many of its calls
  double trained_ = 0.0;                         // seconds of it, evaluation not counted
  std::string score_;                            // of the last whole epoch
  Clock::time_point start_, epoch_start_, drawn_;
};

}  // namespace weft::cli
