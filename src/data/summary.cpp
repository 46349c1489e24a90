// A data set in numbers.
#include <algorithm>
#include <cmath>

#include "weft/data.hpp"

namespace weft::data {
namespace {

// Of features first..first+count-1 of all rows; a missing one-hot group counts once.
FeatureSummary of(const Tensor& tensor, std::int64_t first, std::int64_t count, std::string name, std::string type) {
  FeatureSummary summary;
  summary.name = std::move(name);
  summary.type = std::move(type);
  const auto values = tensor.values<float>();
  const std::int64_t rows = tensor.shape()[0], width = tensor.shape()[1];
  double sum = 0.0, squares = 0.0;
  std::int64_t there = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t f = first; f < first + count; ++f) {
      const auto x = static_cast<double>(values[static_cast<std::size_t>(row * width + f)]);
      if (std::isnan(x)) {
        ++summary.missing;
        continue;
      }
      summary.least = there == 0 ? x : std::min(summary.least, x);
      summary.largest = there == 0 ? x : std::max(summary.largest, x);
      ++there;
      const double before = x - sum;  // sum holds the running mean
      sum += before / static_cast<double>(there);
      squares += before * (x - sum);
    }
  }
  summary.mean = sum;
  summary.deviation = there == 0 ? 0.0 : std::sqrt(squares / static_cast<double>(there));
  return summary;
}

void add_columns(const Dataset& dataset, Summary& summary) {
  std::int64_t first = 0;
  for (const Column& column : dataset.schema.columns) {
    if (column.role != ColumnRole::kFeature) continue;
    const bool numeric = column.kind == ColumnKind::kNumeric;
    const std::int64_t width = numeric ? 1 : static_cast<std::int64_t>(column.categories.size());
    FeatureSummary feature = of(dataset.inputs, first, width, column.name, numeric ? "numeric" : "categorical");
    if (!numeric && width > 0) feature.missing /= width;
    feature.categories = column.categories;
    summary.features.push_back(std::move(feature));
    first += width;
  }
}

}  // namespace

Summary summarise(const Dataset& dataset) {
  Summary summary;
  if (dataset.size() == 0) return summary;
  const std::int64_t width = dataset.inputs.shape()[1];
  if (!dataset.schema.columns.empty()) {
    add_columns(dataset, summary);
  } else if (dataset.alike) {
    summary.features.push_back(of(dataset.inputs, 0, width, "all", dataset.type));
  } else {
    for (std::int64_t f = 0; f < width; ++f) {
      summary.features.push_back(of(dataset.inputs, f, 1, "feature " + std::to_string(f), dataset.type));
    }
  }
  for (const std::string& name : dataset.classes) summary.classes.push_back({name, 0});
  for (const std::int32_t label : dataset.labels) ++summary.classes[static_cast<std::size_t>(label)].rows;
  if (dataset.targets.shape().rank() == 2) {
    for (std::int64_t f = 0; f < dataset.targets.shape()[1]; ++f) {
      summary.targets.push_back(of(dataset.targets, f, 1, "target " + std::to_string(f), "numeric"));
    }
  }
  return summary;
}

}  // namespace weft::data
