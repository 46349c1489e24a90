// Field: JsonCursor with what golden cases need beyond model files.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "src/io/json_cursor.h"
#include "weft/shape.hpp"

namespace weft::verify {

/// Every reader returns kInvalidArgument naming the path, what was seen and what was wanted.
class Field : public JsonCursor {
 public:
  using JsonCursor::JsonCursor;

  /// The member of that name. Errors: missing, or this is not an object.
  Result<Field> member(std::string_view key) const;
  /// The elements of a list.
  Result<std::vector<Field>> elements() const;
  /// A finite number.
  Result<double> number() const;
  Result<std::vector<double>> numbers() const;
  /// A list of sizes >= 1.
  Result<Shape> shape() const;

  /// Errors: kUnsupported naming the first key that is not among `known`: a newer kind of case, not a broken one.
  Status only(std::initializer_list<std::string_view> known) const;
};

}  // namespace weft::verify
