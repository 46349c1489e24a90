// BenchTable: a report as lines of at most 80 columns, printed as its cells come.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_report.h"

namespace weft::cli {

/// What stands above the table: versions, devices and their peaks, the model.
std::string heading_text(const BenchReport& report);

/// Rows are "work mode ..." where that fits, else grouped under their work.
class BenchTable {
 public:
  /// `growth`: what a layer and a weight take, in place of rates.
  BenchTable(const std::vector<BenchWork>& works, const std::vector<Mode>& modes, bool calls, bool growth);

  /// The column heads, below the device's name where there are several.
  std::string head(const std::string& device, bool name_it);
  std::string row(const BenchCell& cell, double peak);

 private:
  std::size_t label_width_ = 0, mode_width_ = 0;
  bool grouped_ = false, calls_ = false, growth_ = false;
  std::string group_;
};

/// What was left out and why, each reason once. Nothing where nothing was.
std::string omissions_text(const BenchReport& report);

/// What has become faster or slower since the report in `file`.
std::string comparison_text(const BenchReport& old_report, const BenchReport& new_report, const std::string& file);

}  // namespace weft::cli
