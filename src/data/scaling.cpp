// Fitting and applying a scaling.
#include "src/data/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "src/core/names.h"
#include "src/core/try.h"

namespace weft::data {
namespace {

struct Moments {
  double least = std::numeric_limits<double>::infinity(), largest = -std::numeric_limits<double>::infinity();
  double mean = 0.0, squares = 0.0;  // squares: sum of squared differences from the mean (B. P. Welford, 1962)
  std::int64_t count = 0;

  void add(double x) {
    ++count;
    least = std::min(least, x);
    largest = std::max(largest, x);
    const double before = x - mean;
    mean += before / static_cast<double>(count);
    squares += before * (x - mean);
  }
  double deviation() const { return std::sqrt(squares / static_cast<double>(count)); }
};

void add_scale(ScalingKind kind, const Moments& moments, Scaling& scaling) {
  const bool unit = kind == ScalingKind::kUnit;
  const double spread = unit ? moments.largest - moments.least : moments.deviation();
  scaling.offset.push_back(unit ? moments.least : moments.mean);
  scaling.factor.push_back(spread > 0.0 && std::isfinite(1.0 / spread) ? 1.0 / spread : 1.0);
}

Status wrong(const CellNames& names, std::string_view message) {
  return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}", names.place(), message));
}

Status wrong_cell(const CellNames& names, std::size_t row, std::size_t column, std::string_view message) {
  return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}", names.cell(row, column), message));
}

Status check_numbers(const Tensor& numbers, const CellNames& names) {
  if (numbers.shape().rank() == 2 && numbers.dtype() == DType::kFloat32) return Status();
  return wrong(names, fmt::format("inputs {} of {}, wanted [rows, features] of float32", to_string(numbers.shape()),
                                  to_string(numbers.dtype())));
}

// That the scaling was made for as many columns as the tensor, which can be written.
Status check_fit(const Scaling& scaling, Tensor& numbers, const CellNames& names) {
  WEFT_RETURN_IF_ERROR(check_numbers(numbers, names));
  if (numbers.mutable_values<float>().empty() && !numbers.empty()) {
    return wrong(names, "inputs are a view, wanted a tensor that owns its numbers");
  }
  const auto columns = static_cast<std::size_t>(numbers.shape()[1]);
  const auto fits = [&](std::size_t size, bool one) { return size == 0 || size == columns || (one && size == 1); };
  if (scaling.offset.size() == scaling.factor.size() && fits(scaling.offset.size(), true) &&
      fits(scaling.fill.size(), false)) {
    return Status();
  }
  return wrong(names, fmt::format("made for {} features, the inputs have {}",
                                  std::max(scaling.offset.size(), scaling.fill.size()), columns));
}

}  // namespace

std::string feature_name(const Dataset& dataset, std::size_t feature) {
  if (feature >= dataset.features.size()) return fmt::format("feature {}", feature);
  return fmt::format("feature {} {}", feature, quote(dataset.features[feature]));
}

std::string row_place(const Dataset& dataset, std::int64_t row) {
  if (dataset.first_line > 0) return fmt::format("{}:{}", dataset.source, dataset.first_line + row);
  return fmt::format("{}: row {}", dataset.source, row);
}

std::string CellNames::column(std::size_t index) const {
  if (targets) return fmt::format("target {}", index);
  return dataset == nullptr ? fmt::format("feature {}", index) : feature_name(*dataset, index);
}

std::string CellNames::cell(std::size_t row, std::size_t index) const {
  if (dataset == nullptr) return fmt::format("scaling: row {}, {}", row, column(index));
  const std::int64_t number = row < rows.size() ? rows[row] : static_cast<std::int64_t>(row);
  return fmt::format("{}{} {}", row_place(*dataset, number), dataset->first_line > 0 ? ":" : ",", column(index));
}

std::string CellNames::place() const { return dataset == nullptr ? "scaling" : dataset->source + ": scaling"; }

Result<Scaling> fit_scaling(ScalingKind kind, const Tensor& numbers, bool alike, const CellNames& names) {
  WEFT_RETURN_IF_ERROR(check_numbers(numbers, names));
  const auto values = numbers.values<float>();
  const auto columns = static_cast<std::size_t>(numbers.shape()[1]);
  if (values.empty()) return wrong(names, "no training rows to fit to, wanted at least one");
  std::vector<Moments> each(columns);
  std::size_t column = 0;
  for (const float value : values) {
    if (!std::isnan(value)) each[column].add(static_cast<double>(value));
    if (++column == columns) column = 0;
  }
  Scaling scaling;
  scaling.kind = kind;
  const auto rows = numbers.shape()[0];
  for (std::size_t c = 0; c < columns; ++c) {
    if (each[c].count == 0) {
      return wrong(names, fmt::format("{} has no value in the training part, wanted one", names.column(c)));
    }
    if (each[c].count < rows && scaling.fill.empty()) {
      for (const Moments& moments : each) scaling.fill.push_back(moments.mean);
    }
  }
  if (kind == ScalingKind::kNone) return scaling;
  if (!alike) {
    for (const Moments& moments : each) add_scale(kind, moments, scaling);
    return scaling;
  }
  Moments all;
  for (const float value : values) {
    if (!std::isnan(value)) all.add(static_cast<double>(value));
  }
  add_scale(kind, all, scaling);
  return scaling;
}

Result<Scaling> fit_scaling(ScalingKind kind, const Tensor& inputs, bool alike) {
  return fit_scaling(kind, inputs, alike, CellNames());
}

Status apply_scaling(const Scaling& scaling, Tensor& numbers, const CellNames& names) {
  WEFT_RETURN_IF_ERROR(check_fit(scaling, numbers, names));
  const auto& [kind, offset, factor, fill] = scaling;
  const auto columns = static_cast<std::size_t>(numbers.shape()[1]);
  const auto values = numbers.mutable_values<float>();
  const std::size_t step = offset.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i % columns;
    auto x = static_cast<double>(values[i]);
    if (std::isnan(x)) {
      if (fill.empty()) {
        return wrong_cell(names, i / columns, column, "missing, wanted a number: the training part lacks none");
      }
      x = fill[column];
    }
    if (!offset.empty()) x = (x - offset[step * column]) * factor[step * column];
    values[i] = static_cast<float>(x);
    if (!std::isfinite(values[i])) {
      return wrong_cell(names, i / columns, column, fmt::format("{} after scaling, wanted a finite number", x));
    }
  }
  return Status();
}

Status Scaling::apply(Tensor& inputs) const { return apply_scaling(*this, inputs, CellNames()); }

Status Scaling::undo(Tensor& scaled) const {
  const CellNames names;
  WEFT_RETURN_IF_ERROR(check_fit(*this, scaled, names));
  if (offset.empty()) return Status();
  const auto columns = static_cast<std::size_t>(scaled.shape()[1]);
  const auto values = scaled.mutable_values<float>();
  const std::size_t step = offset.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i % columns;
    const double x = static_cast<double>(values[i]) / factor[step * column] + offset[step * column];
    values[i] = static_cast<float>(x);
    if (!std::isfinite(values[i])) {
      return wrong_cell(names, i / columns, column,
                        fmt::format("{} unscaled, wanted a number of size at most 3.4e38", x));
    }
  }
  return Status();
}

}  // namespace weft::data
