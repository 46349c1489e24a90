// Metrics as JSON, a line for each epoch.
#include "cli/metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/try.h"
#include "src/io/atomic_file.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kBetweenWrites{1};
constexpr int kShare = 20;  // of the time, at most one part in so many goes into writing a long file again

void put(Json& json, const char* part, const std::optional<Score>& score) {
  if (!score) return;
  json[std::string(part) + "_loss"] = score->loss;
  if (score->accuracy) json[std::string(part) + "_accuracy"] = *score->accuracy;
}

}  // namespace

std::string loss_text(std::optional<double> loss) {
  if (!loss) return "-";
  return std::isnan(*loss) ? "nan" : fmt::format("{:.6g}", *loss);
}

std::string seconds_text(double seconds) {
  int digits = 2;
  for (double least = 0.095; seconds < least && digits < 7; least /= 10.0) ++digits;
  return fmt::format("{:.{}f}", seconds, digits);
}

std::string score_pairs(std::string_view part, const std::optional<Score>& score) {
  if (!score) return {};
  const std::string loss = fmt::format(" {}_loss={}", part, loss_text(score->loss));
  return score->accuracy ? fmt::format("{} {}_accuracy={:.4f}", loss, part, *score->accuracy) : loss;
}

std::string to_json(const EpochMetrics& metrics) {
  Json json{{"epoch", metrics.epoch},     {"calls", metrics.calls},
            {"samples", metrics.samples}, {"dropped", metrics.dropped},
            {"lr", metrics.lr},           {"loss", metrics.loss ? Json(*metrics.loss) : Json()}};
  put(json, "val", metrics.validation);
  put(json, "test", metrics.test);
  json["seconds"] = metrics.seconds;
  json["non_finite"] = metrics.non_finite;
  return json.dump();
}

Status MetricsFile::add(const EpochMetrics& metrics) {
  text_ += to_json(metrics) + "\n";
  const auto start = Clock::now();
  if (start < due_) return {};
  WEFT_RETURN_IF_ERROR(write(file_));
  due_ = Clock::now() + std::max<Clock::duration>(kBetweenWrites, kShare * (Clock::now() - start));
  return {};
}

Status MetricsFile::write(const std::filesystem::path& file) const {
  return write_file_atomically(file, text_.data(), text_.size());
}

}  // namespace weft::cli
