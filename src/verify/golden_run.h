// Running golden cases on a device and comparing what comes out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/verify/golden_case.h"
#include "src/verify/golden_file.h"

namespace weft::verify {

/// Largest accepted errors (golden data's README): losses relative to the expected loss; weights,
/// biases and outputs relative to the largest value of the leaf or output.
inline constexpr double kLossTolerance = 1e-5;
inline constexpr double kWeightTolerance = 1e-5;

enum class Verdict { kPass, kFail, kUnsupported };

struct CaseResult {
  std::string name;
  Verdict verdict = Verdict::kPass;
  double loss_error = 0.0;    // worst of the losses
  double weight_error = 0.0;  // worst of weights and biases
  double output_error = 0.0;  // worst of the inference pass
  std::string detail;         // the worst offender's values, or why the case did not run
  /// The largest error as a share of its tolerance.
  double share() const;
};

struct FileResult {
  std::filesystem::path path;
  std::vector<CaseResult> cases;
  std::size_t count(Verdict verdict) const;
};

CaseResult run_case(const std::string& name, const Result<GoldenCase>& golden, const std::string& device);
FileResult run_file(const GoldenFile& file, const std::string& device);

/// Whether the device can be mounted at all. Errors: those of mount.
Status probe_device(const std::string& device);

}  // namespace weft::verify
