// BenchReport: what weft bench measured, in memory and as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/widths.h"
#include "weft/activation.hpp"
#include "weft/loss.hpp"
#include "weft/mode.hpp"
#include "weft/optimizer.hpp"
#include "weft/precision.hpp"
#include "weft/session.hpp"

namespace weft::cli {

/// The layers and the batch of a step: "784-128-10:64"; "4-4-4:2:132" is a fleet of so many members.
struct BenchWork {
  Widths widths;
  std::int64_t batch = 1, members = 1;
};

std::string to_string(const BenchWork& work);
/// Errors: kInvalidArgument naming the text and what was wanted.
Result<BenchWork> parse_work(std::string_view text);

struct BenchSettings {
  Activation activation = Activation::kTanh;
  bool bias = false;
  Loss loss = Loss::kMse;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  std::int64_t threads = 0;                   // of native_cpu, 0: the physical cores
  Precision precision = Precision::kFloat32;  // of cuda
  double seconds = 0.5;                       // spent on each timing
  std::int64_t repeats = 7;                   // that share them
};

/// With the usual numbers of its kind.
Optimizer optimizer_of(const BenchSettings& settings);

/// The layers whose inference counts as a device's peak: enough that copying the output does not.
inline constexpr int kPeakLayers = 4;

struct BenchDevice {
  std::string name, description;
  double peak = 0.0;            // floating-point operations a second, reached with layers of that width
  std::int64_t peak_width = 0;  // at a batch of it
};

/// Microseconds for a step: of the median repeat, the fastest and the slowest.
struct Timing {
  double median = 0.0, least = 0.0, most = 0.0;
  std::int64_t steps = 0;  // in a repeat
};

/// One work in one mode on one device.
struct BenchCell {
  BenchWork work;
  Mode mode;
  std::string device;
  CallCost cost;                       // operations of all members
  Timing resident;                     // Session::fit, which returns after many steps
  std::optional<Timing> call;          // Session::train, a call for each step
  std::optional<std::int64_t> memory;  // bytes by which the process was larger than before
  std::int64_t weights = 0;            // elements, biases too, of all members
  std::int64_t tape_bytes = 0;         // of that memory: tapes, gaps, gradients and samples in the pipe
  bool finite = true;                  // false: some losses were not, and those steps changed nothing

  double samples_per_second() const { return static_cast<double>(work.batch * work.members) * 1e6 / resident.median; }
  double operations_per_second() const { return cost.operations * 1e6 / resident.median; }
  bool same_as(const BenchCell& other) const;  // work, mode and device
};

/// A work and a mode that do not go together.
struct BenchOmission {
  BenchWork work;
  Mode mode;
  std::string reason;
};

struct BenchReport {
  std::string version, build, compiler;
  BenchSettings settings;
  std::vector<BenchDevice> devices;
  std::vector<BenchCell> cells;
  std::vector<BenchOmission> omissions;  // on any device

  double peak_of(const std::string& device) const;
};

/// How a cell of this run stands to the same one of an earlier run.
struct BenchComparison {
  struct Pair {
    const BenchCell *old_cell, *new_cell;
  };
  std::vector<Pair> both;
  std::vector<const BenchCell*> only_old, only_new;
};
/// Refers to both reports.
BenchComparison compare(const BenchReport& old_report, const BenchReport& new_report);

std::string to_json(const BenchReport& report);
/// Strict. Errors: kInvalidArgument naming the path, the value seen and the value wanted.
Result<BenchReport> bench_report_from_json(std::string_view text);
/// Errors: kNotFound, kIo, and as above with the file's name before it.
Result<BenchReport> load_bench_report(const std::filesystem::path& file);

}  // namespace weft::cli
