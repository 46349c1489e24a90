// Tensor: row-major numbers, owned or viewed, float32 or float64.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "weft/dtype.hpp"
#include "weft/shape.hpp"

namespace weft {

/// Row-major [shape] of float32 or float64. Copying an owning tensor copies its numbers; a view
/// refers to memory of the caller, who keeps it alive and may change it between calls.
class Tensor {
 public:
  Tensor() = default;
  /// Owning, all zeros.
  explicit Tensor(Shape shape, DType dtype = DType::kFloat32);
  /// Owning, from values; data.size() must equal shape.elements() (checked by valid()).
  Tensor(Shape shape, std::vector<float> data);
  Tensor(Shape shape, std::vector<double> data);
  /// Views over memory of the caller; nothing is copied.
  static Tensor view(Shape shape, std::span<const float> data);
  static Tensor view(Shape shape, std::span<const double> data);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  std::int64_t elements() const { return shape_.elements(); }
  bool empty() const { return size() == 0; }
  bool is_view() const;

  /// Errors: kInvalidArgument where the shape is not valid or does not match the number of values.
  Status validate() const;

  /// The numbers; empty where the tensor has the other dtype. T is float or double.
  template <typename T>
  std::span<const T> values() const;
  /// The numbers for writing; empty for a view or the other dtype.
  template <typename T>
  std::span<T> mutable_values();

  /// The float32 numbers, moved out of an owning tensor, which is then of shape [0]; none out of any other.
  std::vector<float> take();

  const void* data() const;
  std::size_t bytes() const { return size() * element_size(dtype_); }

  /// Element i in row-major order as double, whatever the dtype.
  double at(std::int64_t i) const;

  /// An owning copy converted to `dtype` (float32 or float64).
  Tensor to(DType dtype) const;

 private:
  std::size_t size() const;

  Shape shape_{0};
  DType dtype_ = DType::kFloat32;
  std::variant<std::vector<float>, std::vector<double>, std::span<const float>, std::span<const double>> data_;
};

}  // namespace weft
