// Strict JSON: parsed without recursion limits to fear, duplicate keys or exceptions.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "weft/status.hpp"

namespace weft {

/// Parses a whole JSON text. Errors: kInvalidArgument where it is not JSON (line and column), nests deeper
/// than `max_depth` arrays and objects, or names a key twice in one object (its path).
Result<nlohmann::json> parse_strict_json(std::string_view text, int max_depth);

}  // namespace weft
