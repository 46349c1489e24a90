// Shape: the sizes of a row-major tensor's axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "weft/status.hpp"

namespace weft {

/// Sizes of the axes, slowest first. The leading axis of activations is the batch. Holds no memory
/// of its own, so copying one allocates nothing.
class Shape {
 public:
  static constexpr std::size_t kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> axes) : Shape(std::span(axes.begin(), axes.size())) {}
  /// More than kMaxRank axes make a shape that validate() refuses.
  explicit Shape(std::span<const std::int64_t> axes);
  explicit Shape(const std::vector<std::int64_t>& axes) : Shape(std::span(axes)) {}

  std::size_t rank() const { return rank_; }
  std::int64_t operator[](std::size_t axis) const { return axes_[axis]; }
  std::span<const std::int64_t> axes() const { return std::span(axes_).first(rank_ < kMaxRank ? rank_ : kMaxRank); }

  /// Product of all axes (1 for rank 0). Overflow is excluded by validate().
  std::int64_t elements() const;
  /// The last axis (1 for rank 0): the features of an activation.
  std::int64_t features() const { return axes().empty() ? 1 : axes().back(); }
  /// Product of all axes but the last.
  std::int64_t rows() const;
  /// The same axes with the last replaced.
  Shape with_features(std::int64_t features) const;
  /// The same axes with the first replaced.
  Shape with_batch(std::int64_t batch) const;

  /// Errors: kInvalidArgument where an axis is < 1 or there are more than kMaxRank, kResourceExhausted where the
  /// product exceeds 2^40.
  Status validate() const;

  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, kMaxRank> axes_{};  // zeros beyond the rank, so that == may compare all
  std::size_t rank_ = 0;
};

/// "[2, 4]"
std::string to_string(const Shape& shape);

}  // namespace weft
