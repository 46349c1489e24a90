// The report of weft bench: its JSON, written and read, and two reports cell by cell.
#include "cli/bench_report.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/data_json.h"
#include "src/io/json_cursor.h"
#include "src/io/read_file.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kVersion = 1;  // of the file
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;

// ---- writing ----

void put(Json& json, const Timing& timing) {
  json["us_per_step"] = timing.median;
  json["us_least"] = timing.least;
  json["us_most"] = timing.most;
  json["steps"] = timing.steps;
}

Json json_of(const BenchCell& cell, double peak) {
  Json json{{"work", to_string(cell.work)}, {"mode", to_string(cell.mode)}, {"device", cell.device}};
  put(json, cell.resident);
  json["samples_per_second"] = cell.samples_per_second();
  json["operations"] = cell.cost.operations;
  json["instructions"] = cell.cost.instructions;
  json["gflops"] = cell.operations_per_second() / 1e9;
  json["share_of_peak"] = cell.operations_per_second() / peak;
  json["memory_bytes"] = cell.memory ? Json(*cell.memory) : Json();
  json["weights"] = cell.weights;
  json["tape_bytes"] = cell.tape_bytes;
  json["finite"] = cell.finite;
  if (cell.call) put(json["call"], *cell.call);
  return json;
}

Json json_of(const BenchSettings& settings) {
  return Json{{"activation", to_string(settings.activation)},
              {"bias", settings.bias},
              {"loss", to_string(settings.loss)},
              {"optimizer", to_string(settings.optimizer)},
              {"threads", settings.threads},
              {"precision", to_string(settings.precision)},
              {"seconds", settings.seconds},
              {"repeats", settings.repeats}};
}

// ---- reading ----

Status read_above_0(const JsonCursor& json, double& value) {
  WEFT_ASSIGN_OR_RETURN(value, data::number_of(json));
  return value > 0.0 ? Status() : json.wrong("a number above 0");
}

/// The numbers that follow from others are there for other readers; that they are numbers is all that counts here.
Status check_numbers(const JsonCursor& json, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) WEFT_RETURN_IF_ERROR(data::number_of(json[key]).status());
  return {};
}

Status read_timing(const JsonCursor& json, Timing& timing) {
  WEFT_RETURN_IF_ERROR(read_above_0(json["us_per_step"], timing.median));
  WEFT_RETURN_IF_ERROR(read_above_0(json["us_least"], timing.least));
  WEFT_RETURN_IF_ERROR(read_above_0(json["us_most"], timing.most));
  WEFT_ASSIGN_OR_RETURN(timing.steps, json["steps"].integer(1, INT64_MAX));
  return {};
}

Result<BenchCell> read_cell(const JsonCursor& json) {
  WEFT_RETURN_IF_ERROR(
      json.keys({"work", "mode", "device", "us_per_step", "us_least", "us_most", "steps", "samples_per_second",
                 "operations", "instructions", "gflops", "share_of_peak", "memory_bytes", "finite"},
                {"call", "weights", "tape_bytes"}));
  BenchCell cell;
  WEFT_RETURN_IF_ERROR(read_name(json["work"], parse_work, cell.work));
  WEFT_RETURN_IF_ERROR(read_name(json["mode"], parse_mode, cell.mode));
  WEFT_ASSIGN_OR_RETURN(cell.device, json["device"].text());
  WEFT_RETURN_IF_ERROR(read_timing(json, cell.resident));
  WEFT_RETURN_IF_ERROR(check_numbers(json, {"samples_per_second", "gflops", "share_of_peak"}));
  WEFT_RETURN_IF_ERROR(read_above_0(json["operations"], cell.cost.operations));
  WEFT_ASSIGN_OR_RETURN(cell.cost.instructions, json["instructions"].integer(1, INT64_MAX));
  if (!json["memory_bytes"].value().is_null()) {
    WEFT_ASSIGN_OR_RETURN(cell.memory, json["memory_bytes"].integer(0, INT64_MAX));
  }
  if (json.has("weights")) {
    WEFT_ASSIGN_OR_RETURN(cell.weights, json["weights"].integer(1, INT64_MAX));
  }
  if (json.has("tape_bytes")) {
    WEFT_ASSIGN_OR_RETURN(cell.tape_bytes, json["tape_bytes"].integer(0, INT64_MAX));
  }
  WEFT_ASSIGN_OR_RETURN(cell.finite, json["finite"].boolean());
  if (json.has("call")) {
    const JsonCursor call = json["call"];
    WEFT_RETURN_IF_ERROR(call.keys({"us_per_step", "us_least", "us_most", "steps"}, {}));
    WEFT_RETURN_IF_ERROR(read_timing(call, cell.call.emplace()));
  }
  return cell;
}

Result<BenchOmission> read_omission(const JsonCursor& json) {
  WEFT_RETURN_IF_ERROR(json.keys({"work", "mode", "reason"}, {}));
  BenchOmission omission;
  WEFT_RETURN_IF_ERROR(read_name(json["work"], parse_work, omission.work));
  WEFT_RETURN_IF_ERROR(read_name(json["mode"], parse_mode, omission.mode));
  WEFT_ASSIGN_OR_RETURN(omission.reason, json["reason"].text());
  return omission;
}

Status read_settings(const JsonCursor& json, BenchSettings& settings) {
  WEFT_RETURN_IF_ERROR(
      json.keys({"activation", "bias", "loss", "optimizer", "threads", "seconds", "repeats"}, {"precision"}));
  WEFT_RETURN_IF_ERROR(read_name(json["activation"], parse_activation, settings.activation));
  WEFT_ASSIGN_OR_RETURN(settings.bias, json["bias"].boolean());
  WEFT_RETURN_IF_ERROR(read_name(json["loss"], parse_loss, settings.loss));
  WEFT_RETURN_IF_ERROR(read_name(json["optimizer"], parse_optimizer, settings.optimizer));
  WEFT_ASSIGN_OR_RETURN(settings.threads, json["threads"].integer(0, INT32_MAX));
  if (json.has("precision")) WEFT_RETURN_IF_ERROR(read_name(json["precision"], parse_precision, settings.precision));
  WEFT_RETURN_IF_ERROR(read_above_0(json["seconds"], settings.seconds));
  WEFT_ASSIGN_OR_RETURN(settings.repeats, json["repeats"].integer(1, INT32_MAX));
  return {};
}

Result<BenchDevice> read_device(const JsonCursor& json) {
  WEFT_RETURN_IF_ERROR(json.keys({"name", "description", "peak_gflops", "peak_width"}, {}));
  BenchDevice device;
  WEFT_ASSIGN_OR_RETURN(device.name, json["name"].text());
  WEFT_ASSIGN_OR_RETURN(device.description, json["description"].text());
  WEFT_RETURN_IF_ERROR(read_above_0(json["peak_gflops"], device.peak));
  device.peak *= 1e9;
  WEFT_ASSIGN_OR_RETURN(device.peak_width, json["peak_width"].integer(1, INT32_MAX));
  return device;
}

Status read_report(const JsonCursor& root, BenchReport& report) {
  WEFT_RETURN_IF_ERROR(
      root.keys({"version", "weft", "build", "compiler", "settings", "devices", "cells"}, {"left_out"}));
  WEFT_RETURN_IF_ERROR(root["version"].integer(kVersion, kVersion).status());
  WEFT_ASSIGN_OR_RETURN(report.version, root["weft"].text());
  WEFT_ASSIGN_OR_RETURN(report.build, root["build"].text());
  WEFT_ASSIGN_OR_RETURN(report.compiler, root["compiler"].text());
  WEFT_RETURN_IF_ERROR(read_settings(root["settings"], report.settings));
  WEFT_ASSIGN_OR_RETURN(const auto devices, root["devices"].elements());
  for (const JsonCursor& json : devices) {
    WEFT_ASSIGN_OR_RETURN(BenchDevice device, read_device(json));
    report.devices.push_back(std::move(device));
  }
  WEFT_ASSIGN_OR_RETURN(const auto cells, root["cells"].elements());
  for (const JsonCursor& json : cells) {
    WEFT_ASSIGN_OR_RETURN(BenchCell cell, read_cell(json));
    const auto same = [&](const BenchCell& other) { return cell.same_as(other); };
    if (std::any_of(report.cells.begin(), report.cells.end(), same))
      return json.error("a cell of this work, mode and device is there already, wanted one");
    report.cells.push_back(std::move(cell));
  }
  if (!root.has("left_out")) return {};
  WEFT_ASSIGN_OR_RETURN(const auto omissions, root["left_out"].elements());
  for (const JsonCursor& json : omissions) {
    WEFT_ASSIGN_OR_RETURN(BenchOmission omission, read_omission(json));
    report.omissions.push_back(std::move(omission));
  }
  return {};
}

}  // namespace

Optimizer optimizer_of(const BenchSettings& settings) {
  return settings.optimizer == OptimizerKind::kAdamW ? adamw() : Optimizer{.kind = settings.optimizer};
}

std::string to_string(const BenchWork& work) {
  return fmt::format("{}:{}", to_string(work.widths), work.batch) +
         (work.members > 1 ? fmt::format(":{}", work.members) : "");
}

Result<BenchWork> parse_work(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  auto widths = parse_widths(text.substr(0, colon));
  const std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  constexpr std::int64_t kMostMembers = 4096;
  std::int64_t batch = 0, members = 1;
  const char* const end = rest.data() + rest.size();
  auto [stop, error] = std::from_chars(rest.data(), end, batch);
  if (error == std::errc() && stop != end && *stop == ':') {
    const auto last = std::from_chars(stop + 1, end, members);
    stop = last.ptr, error = last.ec;
  }
  if (widths.ok() && error == std::errc() && stop == end && batch >= 1 && batch <= INT32_MAX && members >= 1 &&
      members <= kMostMembers)
    return BenchWork{*std::move(widths), batch, members};
  return Status(StatusCode::kInvalidArgument,
                fmt::format("seen {}, wanted two or more widths and a batch of 1 to {} such as 784-128-10:64, or "
                            "4-4-4:2:132 for a fleet of 132",
                            quote(text), INT32_MAX));
}

bool BenchCell::same_as(const BenchCell& other) const {
  return work.widths.sizes == other.work.widths.sizes && work.batch == other.work.batch && mode == other.mode &&
         work.members == other.work.members && device == other.device;
}

double BenchReport::peak_of(const std::string& device) const {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& d) { return d.name == device; });
  return found == devices.end() ? 0.0 : found->peak;
}

BenchComparison compare(const BenchReport& old_report, const BenchReport& new_report) {
  const auto same = [](const BenchReport& report, const BenchCell& cell) {
    const auto found = std::find_if(report.cells.begin(), report.cells.end(),
                                    [&](const BenchCell& other) { return cell.same_as(other); });
    return found == report.cells.end() ? nullptr : &*found;
  };
  BenchComparison comparison;
  for (const BenchCell& cell : new_report.cells) {
    if (const BenchCell* found = same(old_report, cell)) {
      comparison.both.push_back({found, &cell});
    } else {
      comparison.only_new.push_back(&cell);
    }
  }
  for (const BenchCell& cell : old_report.cells) {
    if (same(new_report, cell) == nullptr) comparison.only_old.push_back(&cell);
  }
  return comparison;
}

std::string to_json(const BenchReport& report) {
  Json json{{"version", kVersion},
            {"weft", report.version},
            {"build", report.build},
            {"compiler", report.compiler},
            {"settings", json_of(report.settings)},
            {"devices", Json::array()},
            {"cells", Json::array()}};
  for (const BenchDevice& device : report.devices)
    json["devices"].push_back({{"name", device.name},
                               {"description", device.description},
                               {"peak_gflops", device.peak / 1e9},
                               {"peak_width", device.peak_width}});
  for (const BenchCell& cell : report.cells) json["cells"].push_back(json_of(cell, report.peak_of(cell.device)));
  for (const BenchOmission& omission : report.omissions)
    json["left_out"].push_back(
        {{"work", to_string(omission.work)}, {"mode", to_string(omission.mode)}, {"reason", omission.reason}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BenchReport> bench_report_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, data::parsed(text, "bench"));
  BenchReport report;
  WEFT_RETURN_IF_ERROR(read_report({json, "bench"}, report));
  return report;
}

Result<BenchReport> load_bench_report(const std::filesystem::path& file) {
  WEFT_ASSIGN_OR_RETURN(const std::string text, read_file(file, kMostBytes));
  auto report = bench_report_from_json(text);
  if (report.ok()) return report;
  return Status(report.status().code(), fmt::format("'{}': {}", file.string(), report.status().message()));
}

}  // namespace weft::cli
