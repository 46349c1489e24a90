// Scaling and Schema within a larger JSON text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/io/json_cursor.h"
#include "weft/data.hpp"

namespace weft::data {

nlohmann::ordered_json json_of(const Scaling& scaling);
nlohmann::ordered_json json_of(const Schema& schema);

/// Errors: kInvalidArgument naming the path.
Result<Scaling> scaling_of(const JsonCursor& json);
Result<Schema> schema_of(const JsonCursor& json);
Result<Task> task_of(const JsonCursor& json);
Result<ScalingKind> scaling_kind_of(const JsonCursor& json);

/// A list of texts, all different; `what` names one of them in messages: "a category".
Result<std::vector<std::string>> names_of(const JsonCursor& json, std::string_view what);

/// A number that is finite.
Result<double> number_of(const JsonCursor& json);

/// On one line; bytes that are not UTF-8 are replaced.
std::string dumped(const nlohmann::ordered_json& json);

/// Parses strictly; "<place>: ..." in messages.
Result<nlohmann::json> parsed(std::string_view text, std::string_view place);

}  // namespace weft::data
