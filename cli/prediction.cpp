// Rows of text.
#include "cli/prediction.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>

namespace weft::cli {
namespace {

std::string header(const Prediction& prediction, bool all_outputs) {
  const bool regression = prediction.task == data::Task::kRegression;
  std::string line = "row";
  if (!prediction.labels.empty()) line += ",label";
  if (!prediction.targets.empty()) {
    const std::int64_t targets = prediction.targets.shape()[1];
    for (std::int64_t i = 0; i < targets; ++i) line += targets == 1 ? ",label" : fmt::format(",label {}", i);
  }
  if (!regression) line += prediction.probabilities ? ",class,probability" : ",class,output";
  if (regression || all_outputs) {
    for (const std::string& name : prediction.names) line.append(",").append(csv_field(name));
  }
  return line + "\n";
}

}  // namespace

void softmax_rows(Tensor& outputs) {
  const auto width = static_cast<std::size_t>(outputs.shape()[1]);
  const auto values = outputs.mutable_values<float>();
  std::vector<double> powers(width);
  for (std::size_t row = 0; row < values.size(); row += width) {
    const auto z = values.subspan(row, width);
    const double most = *std::max_element(z.begin(), z.end());
    double sum = 0.0;
    for (std::size_t i = 0; i < width; ++i) sum += powers[i] = std::exp(static_cast<double>(z[i]) - most);
    for (std::size_t i = 0; i < width; ++i) z[i] = static_cast<float>(powers[i] / sum);
  }
}

std::string csv_field(std::string_view text) {
  const bool blanks =
      !text.empty() && (text.front() == ' ' || text.back() == ' ' || text.front() == '\t' || text.back() == '\t');
  if (!blanks && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string to_csv(const Prediction& prediction, bool all_outputs) {
  std::vector<std::string> names;
  for (const std::string& name : prediction.names) names.push_back(csv_field(name));
  const bool regression = prediction.task == data::Task::kRegression;
  const auto width = static_cast<std::size_t>(prediction.outputs.shape()[1]);
  const auto outputs = prediction.outputs.values<float>();
  const auto targets = prediction.targets.values<float>();
  std::string text = header(prediction, all_outputs);
  const auto into = std::back_inserter(text);
  for (std::size_t i = 0; i < prediction.rows.size(); ++i) {
    const auto row = outputs.subspan(i * width, width);
    fmt::format_to(into, "{}", prediction.rows[i]);
    if (!prediction.labels.empty()) text.append(",").append(csv_field(prediction.labels[i]));
    if (!targets.empty()) {
      for (const float target : targets.subspan(i * width, width)) fmt::format_to(into, ",{}", target);
    }
    if (!regression) {
      const auto best = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
      fmt::format_to(into, ",{},{}", names[best], row[best]);
    }
    if (regression || all_outputs) {
      for (const float output : row) fmt::format_to(into, ",{}", output);
    }
    text += '\n';
  }
  return text;
}

}  // namespace weft::cli
