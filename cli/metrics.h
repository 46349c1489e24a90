// EpochMetrics: what an epoch came to; MetricsFile: metrics.jsonl.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "weft/status.hpp"

namespace weft::cli {

/// A part that the model was evaluated on.
struct Score {
  double loss = 0.0;
  std::optional<double> accuracy;  // of a classification
};

struct EpochMetrics {
  std::int64_t epoch = 0;  // from 1
  std::int64_t calls = 0;
  std::int64_t samples = 0;     // trained on: in a line mode those that came out of the pipe
  std::int64_t dropped = 0;     // samples that did not fill a batch
  std::int64_t non_finite = 0;  // calls
  double lr = 0.0;              // of the last call
  std::optional<double> loss;   // of the training part, mean over the calls that returned one
  std::optional<Score> validation, test;
  double seconds = 0.0;  // of training, evaluation not counted
};

/// "0.4", "inf" or "nan", whatever sign a NaN has; "-" for none.
std::string loss_text(std::optional<double> loss);

/// "2.69", "0.041", "0.00036": two digits at least of what took a microsecond or more.
std::string seconds_text(double seconds);

/// " test_loss=0.4 test_accuracy=0.9" for the part "test"; nothing where there is no score.
std::string score_pairs(std::string_view part, const std::optional<Score>& score);

/// One line of JSON without its end. Numbers read back as they were.
std::string to_json(const EpochMetrics& metrics);

/// A line for each epoch. The file is written as a whole to a temporary and renamed, at most once a second.
class MetricsFile {
 public:
  explicit MetricsFile(std::filesystem::path file) : file_(std::move(file)) {}

  Status add(const EpochMetrics& metrics);
  /// Writes all lines, also where there are none, into `file`.
  Status write(const std::filesystem::path& file) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path file_;
  std::string text_;
  Clock::time_point due_ = Clock::now();
};

}  // namespace weft::cli
