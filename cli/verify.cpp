// weft verify: golden cases on a device, and two devices side by side.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option.h"
#include "src/core/names.h"
#include "src/verify/compare.h"
#include "src/verify/golden_run.h"
#include "weft/mode.hpp"

namespace weft::cli {
namespace {

using verify::CaseResult;
using verify::CompareResult;
using verify::FileResult;
using verify::Verdict;

struct VerifyOptions {
  std::string golden, against;
  std::string device = "cpu";
  bool allow_unsupported = false;
};

/// Counts over all files. Foreign: JSON without golden cases.
struct Totals {
  std::size_t cases = 0, failed = 0, unsupported = 0, unreadable = 0, foreign = 0;

  bool pass(bool allow_unsupported) const {
    return cases > 0 && failed == 0 && unreadable == 0 && (allow_unsupported || (unsupported == 0 && foreign == 0));
  }
};

/// A file's name, which is text of others' as much as what it holds.
std::string name_of(const std::filesystem::path& file) { return printable(file.filename().string()); }

void print_cases(const FileResult& file, Verdict verdict, std::string_view word) {
  for (const CaseResult& result : file.cases) {
    if (result.verdict == verdict) {
      fmt::print("  {} {}: case '{}': {}\n", word, name_of(file.path), printable(result.name),
                 printable(result.detail));
    }
  }
}

/// Cases of one file are often unsupported for one reason: each reason once, with its first case and their number.
void print_unsupported(const FileResult& file) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const CaseResult& result : file.cases) {
    if (result.verdict != Verdict::kUnsupported) continue;
    const auto same = [&](const auto& entry) { return entry.first == result.detail; };
    auto found = std::find_if(reasons.begin(), reasons.end(), same);
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {result.detail, {}});
    found->second.push_back(result.name);
  }
  for (const auto& [reason, names] : reasons) {
    fmt::print("  unsupported {}: {} case{} ('{}'{}): {}\n", name_of(file.path), names.size(),
               names.size() == 1 ? "" : "s", printable(names.front()), names.size() == 1 ? "" : ", ...",
               printable(reason));
  }
}

void print_file(const FileResult& file, const VerifyOptions& options, Totals& totals) {
  double loss = 0.0, weight = 0.0, share = 0.0;
  for (const CaseResult& result : file.cases) {
    loss = std::max(loss, result.loss_error);
    weight = std::max(weight, result.weight_error);
    share = std::max(share, result.share());
  }
  const std::size_t failed = file.count(Verdict::kFail), unsupported = file.count(Verdict::kUnsupported);
  const bool pass = failed == 0 && (unsupported == 0 || options.allow_unsupported);
  const std::string verdict = !pass ? "FAIL" : unsupported == file.cases.size() ? "unsupported" : "pass";
  fmt::print("{:<28} {:>5} {:>11} {:>10.2g} {:>12.2g} {:>6.0f}% {}\n", name_of(file.path), file.cases.size(),
             unsupported, loss, weight, 100.0 * share, verdict);
  print_cases(file, Verdict::kFail, "FAIL");
  print_unsupported(file);
  totals.cases += file.cases.size();
  totals.failed += failed;
  totals.unsupported += unsupported;
}

int verify_golden(const VerifyOptions& options) {
  const auto files = verify::golden_files(options.golden);
  if (!files.ok()) return failed("verify", Status(files.status().code(), "--golden " + files.status().message()));
  fmt::print("device {}, tolerance: losses {:g} relative, weights {:g} of the leaf's largest\n", options.device,
             verify::kLossTolerance, verify::kWeightTolerance);
  fmt::print("{:<28} {:>5} {:>11} {:>10} {:>12} {:>7} {}\n", "file", "cases", "unsupported", "loss error",
             "weight error", "share", "verdict");
  Totals totals;
  for (const auto& path : *files) {
    const auto file = verify::read_golden_file(path);
    const std::string name = name_of(path);
    if (!file.ok()) {
      ++totals.unreadable;
      fmt::print("{:<28} FAIL {}\n", name, printable(file.status().message()));
    } else if (file->entries.empty()) {
      ++totals.foreign;
      fmt::print("{:<28} {} holds no golden cases\n", name, options.allow_unsupported ? "unsupported" : "FAIL");
    } else {
      print_file(verify::run_file(*file, options.device), options, totals);
    }
  }
  const bool pass = totals.pass(options.allow_unsupported);
  fmt::print("{} cases in {} files on {}: {} passed, {} failed, {} unsupported: {}\n", totals.cases, files->size(),
             options.device, totals.cases - totals.failed - totals.unsupported, totals.failed, totals.unsupported,
             pass ? "pass" : "FAIL");
  if (totals.cases == 0) {
    return failed("verify",
                  Status(StatusCode::kNotFound, fmt::format("--golden {}: no golden case found", options.golden)));
  }
  return pass ? kExitOk : kExitFailure;
}

int verify_against(const VerifyOptions& options) {
  fmt::print("{} against {}, tolerance {:g}: losses relative, weights of the leaf's largest\n", options.device,
             options.against, verify::kCompareTolerance);
  fmt::print("{:<28} {:>6} {:>10} {:>12} {}\n", "mode", "models", "loss error", "weight error", "verdict");
  std::size_t passed = 0;
  for (const Mode mode : all_modes()) {
    const CompareResult result = verify::compare_devices(mode, options.device, options.against);
    if (result.passed()) ++passed;
    fmt::print("{:<28} {:>6} {:>10.2g} {:>12.2g} {}\n", to_string(mode), result.models, result.loss_error,
               result.weight_error, result.passed() ? "pass" : "FAIL");
    for (const std::string& failure : result.failures) fmt::print("  FAIL {}\n", failure);
  }
  fmt::print("{} of {} modes agree: {}\n", passed, all_modes().size(), passed == all_modes().size() ? "pass" : "FAIL");
  return passed == all_modes().size() ? kExitOk : kExitFailure;
}

int run(const VerifyOptions& options) {
  if (options.golden.empty() && options.against.empty()) {
    return misused("verify",
                   "nothing to verify: wanted --golden DIR, --against DEVICE or both (see weft verify --help)");
  }
  if (options.against == options.device) {
    return misused("verify", fmt::format("--against: seen '{}', wanted another device than --device", options.against));
  }
  for (const std::string& device : {options.device, options.against}) {
    if (device.empty()) continue;
    if (const Status status = verify::probe_device(device); !status.ok()) return failed("verify", status);
  }
  int code = kExitOk;
  if (!options.golden.empty()) code = std::max(code, verify_golden(options));
  if (!options.against.empty()) code = std::max(code, verify_against(options));
  return code;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check a device against golden cases or against another device")
                          ->group("Train and check");
  add_folder(*command, "--golden", options->golden, "Run every case of the JSON files in this folder");
  add_device(*command, "--device", options->device, "The device to check");
  add_device(*command, "--against", options->against,
             "Train small models in all 33 modes on this device too, and compare");
  command->add_flag("--allow-unsupported", options->allow_unsupported,
                    "Let cases that weft cannot run (they are counted, with the reason) not fail the whole");
  command->footer(
      R"(Files are recognised by what they hold, not by name. Failing cases are listed with the values got and wanted.
Share is the largest error as a part of its tolerance. No case at all is a failure.

Examples:
  weft verify --golden tests/golden/data
  weft verify --device native_cpu --against cpu)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
