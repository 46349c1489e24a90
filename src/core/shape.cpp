// Products of axes, checked in 64 bits.
#include "weft/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

namespace weft {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

// Saturates, so that a shape that was never validated gives a large number and not undefined behaviour.
std::int64_t product(std::span<const std::int64_t> axes) {
  std::int64_t result = 1;
  for (std::int64_t axis : axes) {
    if (axis <= 0) return 0;
    if (result > std::numeric_limits<std::int64_t>::max() / axis) {
      result = std::numeric_limits<std::int64_t>::max();
    } else {
      result *= axis;
    }
  }
  return result;
}

}  // namespace

Shape::Shape(std::span<const std::int64_t> axes) : rank_(axes.size()) {
  std::copy_n(axes.begin(), std::min(rank_, kMaxRank), axes_.begin());
}

std::int64_t Shape::elements() const { return product(axes()); }

std::int64_t Shape::rows() const {
  if (axes().empty()) return 1;
  return product(axes().first(axes().size() - 1));
}

Shape Shape::with_features(std::int64_t features) const {
  Shape result = *this;
  if (result.rank_ == 0) result.rank_ = 1;
  result.axes_[axes().empty() ? 0 : axes().size() - 1] = features;
  return result;
}

Shape Shape::with_batch(std::int64_t batch) const {
  Shape result = *this;
  if (result.rank_ == 0) result.rank_ = 1;
  result.axes_[0] = batch;
  return result;
}

Status Shape::validate() const {
  if (rank_ > kMaxRank) {
    return Status(StatusCode::kInvalidArgument, fmt::format("shape of {} axes, wanted at most {}", rank_, kMaxRank));
  }
  for (std::size_t i = 0; i < rank_; ++i) {
    if (axes_[i] < 1) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("shape {}: axis {} is {}, wanted 1 or more", to_string(*this), i, axes_[i]));
    }
  }
  if (elements() > kMaxElements) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("shape {}: more elements than 2^40, the most a tensor may have", to_string(*this)));
  }
  return Status();
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.axes(), ", ")); }

}  // namespace weft
