// Field: reading golden cases with their places.
#include "src/verify/json_field.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft::verify {
namespace {

std::string join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

Result<Field> Field::member(std::string_view key) const {
  if (!value().is_object()) return wrong("an object");
  const auto found = value().find(key);
  if (found == value().end()) return Status(StatusCode::kInvalidArgument, join(path(), key) + ": missing");
  return Field(*found, join(path(), key));
}

Result<std::vector<Field>> Field::elements() const {
  if (!value().is_array()) return wrong("a list");
  std::vector<Field> fields;
  fields.reserve(value().size());
  for (const auto& element : value()) fields.emplace_back(element, fmt::format("{}[{}]", path(), fields.size()));
  return fields;
}

Result<double> Field::number() const {
  if (!value().is_number() || !std::isfinite(value().get<double>())) return wrong("a finite number");
  return value().get<double>();
}

Result<std::vector<double>> Field::numbers() const {
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> fields, elements());
  std::vector<double> numbers;
  numbers.reserve(fields.size());
  for (const Field& field : fields) {
    WEFT_ASSIGN_OR_RETURN(const double number, field.number());
    numbers.push_back(number);
  }
  return numbers;
}

Result<Shape> Field::shape() const {
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> fields, elements());
  std::vector<std::int64_t> axes;
  for (const Field& field : fields) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t axis, field.integer(1, INT32_MAX));
    axes.push_back(axis);
  }
  Shape shape(std::move(axes));
  if (Status status = shape.validate(); !status.ok()) return error(status.message());
  return shape;
}

Status Field::only(std::initializer_list<std::string_view> known) const {
  if (!value().is_object()) return wrong("an object");
  for (const auto& [key, member] : value().items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return {StatusCode::kUnsupported, join(path(), key) + ": unknown field"};
    }
  }
  return {};
}

}  // namespace weft::verify
