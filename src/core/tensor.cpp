// Owned and viewed numbers.
#include "weft/tensor.hpp"

#include <fmt/format.h>

#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace weft {

// An unusable shape or dtype, or memory that cannot be had, leaves the tensor without numbers;
// validate() then says why.
Tensor::Tensor(Shape shape, DType dtype) : shape_(std::move(shape)), dtype_(dtype) {
  if (!shape_.validate().ok()) return;
  const auto n = static_cast<std::size_t>(shape_.elements());
  try {
    if (dtype == DType::kFloat32) data_ = std::vector<float>(n);
    if (dtype == DType::kFloat64) data_ = std::vector<double>(n);
  } catch (const std::bad_alloc&) {
    data_ = std::vector<float>();
  }
}

Tensor::Tensor(Shape shape, std::vector<float> data)
    : shape_(std::move(shape)), dtype_(DType::kFloat32), data_(std::move(data)) {}

Tensor::Tensor(Shape shape, std::vector<double> data)
    : shape_(std::move(shape)), dtype_(DType::kFloat64), data_(std::move(data)) {}

Tensor Tensor::view(Shape shape, std::span<const float> data) {
  Tensor tensor;
  tensor.shape_ = std::move(shape);
  tensor.data_ = data;
  return tensor;
}

Tensor Tensor::view(Shape shape, std::span<const double> data) {
  Tensor tensor;
  tensor.shape_ = std::move(shape);
  tensor.dtype_ = DType::kFloat64;
  tensor.data_ = data;
  return tensor;
}

bool Tensor::is_view() const {
  return std::holds_alternative<std::span<const float>>(data_) ||
         std::holds_alternative<std::span<const double>>(data_);
}

Status Tensor::validate() const {
  if (Status status = shape_.validate(); !status.ok()) return Status(status.code(), "tensor: " + status.message());
  if (element_size(dtype_) == 0) {
    return Status(StatusCode::kUnsupported,
                  fmt::format("tensor: dtype {}, wanted float32 or float64", to_string(dtype_)));
  }
  const auto wanted = static_cast<std::size_t>(shape_.elements());
  if (size() == wanted) return Status();
  if (size() == 0) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("tensor: shape {} has no values, wanted {}: none were given or memory could not be had",
                              to_string(shape_), wanted));
  }
  return Status(StatusCode::kInvalidArgument,
                fmt::format("tensor: {} values, wanted {} for shape {}", size(), wanted, to_string(shape_)));
}

template <typename T>
std::span<const T> Tensor::values() const {
  if (const auto* owned = std::get_if<std::vector<T>>(&data_)) return *owned;
  if (const auto* viewed = std::get_if<std::span<const T>>(&data_)) return *viewed;
  return {};
}

template <typename T>
std::span<T> Tensor::mutable_values() {
  if (auto* owned = std::get_if<std::vector<T>>(&data_)) return *owned;
  return {};
}

template std::span<const float> Tensor::values<float>() const;
template std::span<const double> Tensor::values<double>() const;
template std::span<float> Tensor::mutable_values<float>();
template std::span<double> Tensor::mutable_values<double>();

std::vector<float> Tensor::take() {
  auto* owned = std::get_if<std::vector<float>>(&data_);
  if (owned == nullptr) return {};
  std::vector<float> values = std::move(*owned);
  *this = Tensor();
  return values;
}

const void* Tensor::data() const {
  return std::visit([](const auto& values) { return static_cast<const void*>(values.data()); }, data_);
}

std::size_t Tensor::size() const {
  return std::visit([](const auto& values) { return values.size(); }, data_);
}

double Tensor::at(std::int64_t i) const {
  if (i < 0 || static_cast<std::size_t>(i) >= size()) return std::numeric_limits<double>::quiet_NaN();
  return std::visit([i](const auto& values) { return static_cast<double>(values[static_cast<std::size_t>(i)]); },
                    data_);
}

Tensor Tensor::to(DType dtype) const {
  const auto convert = [this]<typename T>(std::vector<T> converted) {
    converted.reserve(size());
    std::visit(
        [&](const auto& values) {
          for (auto value : values) converted.push_back(static_cast<T>(value));
        },
        data_);
    return Tensor(shape_, std::move(converted));
  };
  if (dtype == DType::kFloat64) return convert(std::vector<double>());
  if (dtype == DType::kFloat32) return convert(std::vector<float>());
  return Tensor(shape_, dtype);
}

}  // namespace weft
