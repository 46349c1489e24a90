// JsonCursor: a JSON value and the path to it, so that every complaint names its place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/status.hpp"

namespace weft {

/// Refers to a document of the caller, who keeps it alive. Errors are kInvalidArgument:
/// "model.ops[2].in: 1000000000.0, wanted an integer from 1 to ...".
class JsonCursor {
 public:
  JsonCursor(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& path() const { return path_; }

  /// That this is an object with all of `required` and nothing beyond `required` and `optional`.
  Status keys(std::initializer_list<std::string_view> required, std::initializer_list<std::string_view> optional) const;
  bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  /// A member that is there (see keys).
  JsonCursor operator[](std::string_view key) const;

  Result<std::vector<JsonCursor>> elements() const;
  Result<std::string> text() const;
  Result<bool> boolean() const;
  Result<std::int64_t> integer(std::int64_t least, std::int64_t most) const;

  /// "path: <value seen>, wanted <wanted>"
  Status wrong(std::string_view wanted) const;
  /// "path: <message>"
  Status error(std::string_view message) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

/// What a parser of names makes of the text at `json`. Errors: the parser's, at the path.
template <typename T>
Status read_name(const JsonCursor& json, Result<T> (*parse)(std::string_view), T& value) {
  const Result<std::string> text = json.text();
  if (!text.ok()) return text.status();
  const Result<T> parsed = parse(*text);
  if (!parsed.ok()) return json.error(parsed.status().message());
  value = *parsed;
  return {};
}

}  // namespace weft
