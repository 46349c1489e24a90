// Fitting and applying a scaling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/core/try.h"
#include "weft/data.hpp"

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

Status wrong(std::string message) { return Status(StatusCode::kInvalidArgument, "scaling: " + std::move(message)); }

Status check_inputs(const Tensor& inputs) {
  if (inputs.shape().rank() == 2 && inputs.dtype() == DType::kFloat32) return Status();
  return wrong(fmt::format("inputs {} of {}, wanted [rows, features] of float32", to_string(inputs.shape()),
                           to_string(inputs.dtype())));
}

}  // namespace

Result<Scaling> fit_scaling(ScalingKind kind, const Tensor& inputs, bool alike) {
  WEFT_RETURN_IF_ERROR(check_inputs(inputs));
  const auto values = inputs.values<float>();
  const auto features = static_cast<std::size_t>(inputs.shape()[1]);
  if (values.empty()) return wrong("no training rows to fit to, wanted at least one");
  std::vector<Moments> each(features);
  std::size_t feature = 0;
  for (const float value : values) {
    if (!std::isnan(value)) each[feature].add(static_cast<double>(value));
    if (++feature == features) feature = 0;
  }
  Scaling scaling;
  scaling.kind = kind;
  const auto rows = inputs.shape()[0];
  for (std::size_t f = 0; f < features; ++f) {
    if (each[f].count == 0) return wrong(fmt::format("feature {} has no value in the training part, wanted one", f));
    if (each[f].count < rows && scaling.fill.empty()) {
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

Status Scaling::apply(Tensor& inputs) const {
  WEFT_RETURN_IF_ERROR(check_inputs(inputs));
  const auto features = static_cast<std::size_t>(inputs.shape()[1]);
  const auto values = inputs.mutable_values<float>();
  if (values.empty() && !inputs.empty()) return wrong("inputs are a view, wanted a tensor that owns its numbers");
  const auto fits = [&](std::size_t size, bool one) { return size == 0 || size == features || (one && size == 1); };
  if (offset.size() != factor.size() || !fits(offset.size(), true) || !fits(fill.size(), false)) {
    return wrong(
        fmt::format("made for {} features, the inputs have {}", std::max(offset.size(), fill.size()), features));
  }
  const std::size_t step = offset.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t feature = i % features;
    auto x = static_cast<double>(values[i]);
    if (std::isnan(x)) {
      if (fill.empty()) {
        return wrong(fmt::format("row {}, feature {}: missing, wanted a number: the training part lacks none",
                                 i / features, feature));
      }
      x = fill[feature];
    }
    if (!offset.empty()) x = (x - offset[step * feature]) * factor[step * feature];
    values[i] = static_cast<float>(x);
    if (!std::isfinite(values[i])) {
      return wrong(
          fmt::format("row {}, feature {}: {} after scaling, wanted a finite number", i / features, feature, x));
    }
  }
  return Status();
}

}  // namespace weft::data
