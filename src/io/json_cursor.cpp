// Reading typed values with their paths.
#include "src/io/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/core/names.h"

namespace weft {
namespace {

// A value as a message shows it; lists and objects by their size only.
std::string seen(const nlohmann::json& value) {
  if (value.is_object()) return fmt::format("an object of {}", value.size());
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_string()) return quote(value.get_ref<const std::string&>());
  return value.dump();
}

std::string listed(std::initializer_list<std::string_view> a, std::initializer_list<std::string_view> b) {
  std::vector<std::string_view> names(a);
  names.insert(names.end(), b);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Status JsonCursor::keys(std::initializer_list<std::string_view> required,
                        std::initializer_list<std::string_view> optional) const {
  if (!value_->is_object()) return wrong("an object");
  for (std::string_view key : required) {
    if (!has(key)) return error(fmt::format("the key '{}' is missing", key));
  }
  for (const auto& item : value_->items()) {
    const auto same = [&](std::string_view name) { return name == item.key(); };
    if (std::none_of(required.begin(), required.end(), same) && std::none_of(optional.begin(), optional.end(), same)) {
      return error(fmt::format("unknown key {}, wanted {}", quote(item.key()), listed(required, optional)));
    }
  }
  return Status();
}

JsonCursor JsonCursor::operator[](std::string_view key) const {
  return JsonCursor(*value_->find(key), path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
}

Result<std::vector<JsonCursor>> JsonCursor::elements() const {
  if (!value_->is_array()) return wrong("a list");
  std::vector<JsonCursor> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) result.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i));
  return result;
}

Result<std::string> JsonCursor::text() const {
  if (!value_->is_string()) return wrong("a text");
  return value_->get<std::string>();
}

Result<bool> JsonCursor::boolean() const {
  if (!value_->is_boolean()) return wrong("true or false");
  return value_->get<bool>();
}

Result<std::int64_t> JsonCursor::integer(std::int64_t least, std::int64_t most) const {
  const std::string wanted = fmt::format("an integer from {} to {}", least, most);
  if (!value_->is_number_integer()) return wrong(wanted);
  // Unsigned values beyond 2^63 are integers to the parser but no int64.
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return wrong(wanted);
  }
  const auto number = value_->get<std::int64_t>();
  if (number < least || number > most) return wrong(wanted);
  return number;
}

Status JsonCursor::wrong(std::string_view wanted) const {
  return error(fmt::format("{}, wanted {}", seen(*value_), wanted));
}

Status JsonCursor::error(std::string_view message) const {
  return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}", path_.empty() ? "JSON" : path_, message));
}

}  // namespace weft
