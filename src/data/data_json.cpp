// Scaling and Schema as JSON text and back.
#include "src/data/data_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_set>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/strict_json.h"

namespace weft::data {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxDepth = 8;
constexpr NameRow<ColumnKind> kKinds[] = {{"numeric", ColumnKind::kNumeric}, {"categorical", ColumnKind::kCategorical}};
constexpr NameRow<ColumnRole> kRoles[] = {
    {"feature", ColumnRole::kFeature}, {"label", ColumnRole::kLabel}, {"ignored", ColumnRole::kIgnored}};

template <typename T>
std::string_view name_of(std::span<const NameRow<T>> rows, T value) {
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.value == value; })->spelling;
}

Result<std::vector<double>> numbers(const JsonCursor& list) {
  WEFT_ASSIGN_OR_RETURN(const auto elements, list.elements());
  std::vector<double> result;
  for (const JsonCursor& element : elements) {
    WEFT_ASSIGN_OR_RETURN(const double number, number_of(element));
    result.push_back(number);
  }
  return result;
}

template <typename T>
Result<T> named(const JsonCursor& field, std::span<const NameRow<T>> rows) {
  WEFT_ASSIGN_OR_RETURN(const std::string text, field.text());
  return parse_name<T>(field.path(), text, rows);
}

Result<Column> column_of(const JsonCursor& json) {
  WEFT_RETURN_IF_ERROR(json.keys({"name", "kind", "role", "categories"}, {}));
  Column column;
  WEFT_ASSIGN_OR_RETURN(column.name, json["name"].text());
  WEFT_ASSIGN_OR_RETURN(column.kind, named<ColumnKind>(json["kind"], kKinds));
  WEFT_ASSIGN_OR_RETURN(column.role, named<ColumnRole>(json["role"], kRoles));
  WEFT_ASSIGN_OR_RETURN(column.categories, names_of(json["categories"], "a category"));
  return column;
}

}  // namespace

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<nlohmann::json> parsed(std::string_view text, std::string_view place) {
  auto json = parse_strict_json(text, kMaxDepth);
  if (!json.ok()) return Status(json.status().code(), fmt::format("{}: {}", place, json.status().message()));
  return json;
}

Result<double> number_of(const JsonCursor& json) {
  const double number = json.value().is_number() ? json.value().get<double>() : std::nan("");
  if (!std::isfinite(number)) return json.wrong("a finite number");
  return number;
}

Result<std::vector<std::string>> names_of(const JsonCursor& json, std::string_view what) {
  WEFT_ASSIGN_OR_RETURN(const auto elements, json.elements());
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const JsonCursor& element : elements) {
    WEFT_ASSIGN_OR_RETURN(std::string name, element.text());
    if (!seen.insert(name).second) return element.error(fmt::format("{} twice", what));
    names.push_back(std::move(name));
  }
  return names;
}

Result<Task> task_of(const JsonCursor& json) {
  WEFT_ASSIGN_OR_RETURN(const std::string name, json.text());
  auto task = parse_task(name);
  if (!task.ok()) return json.wrong("classification or regression");
  return task;
}

Result<ScalingKind> scaling_kind_of(const JsonCursor& json) {
  WEFT_ASSIGN_OR_RETURN(const std::string name, json.text());
  auto kind = parse_scaling(name);
  if (!kind.ok()) return json.wrong("none, unit or standardise");
  return kind;
}

Json json_of(const Scaling& scaling) {
  return Json{{"kind", to_string(scaling.kind)},
              {"offset", scaling.offset},
              {"factor", scaling.factor},
              {"fill", scaling.fill}};
}

Result<Scaling> scaling_of(const JsonCursor& root) {
  WEFT_RETURN_IF_ERROR(root.keys({"kind", "offset", "factor", "fill"}, {}));
  Scaling scaling;
  WEFT_ASSIGN_OR_RETURN(scaling.kind, scaling_kind_of(root["kind"]));
  WEFT_ASSIGN_OR_RETURN(scaling.offset, numbers(root["offset"]));
  WEFT_ASSIGN_OR_RETURN(scaling.factor, numbers(root["factor"]));
  WEFT_ASSIGN_OR_RETURN(scaling.fill, numbers(root["fill"]));
  if (scaling.factor.size() != scaling.offset.size()) {
    return root["factor"].wrong(fmt::format("as many as offset has, {}", scaling.offset.size()));
  }
  if (scaling.offset.empty() != (scaling.kind == ScalingKind::kNone)) {
    return root["offset"].wrong(fmt::format("{} for the kind {}", scaling.kind == ScalingKind::kNone ? "none" : "some",
                                            to_string(scaling.kind)));
  }
  if (!scaling.fill.empty() && scaling.offset.size() > 1 && scaling.fill.size() != scaling.offset.size()) {
    return root["fill"].wrong(fmt::format("none, or as many as offset has, {}", scaling.offset.size()));
  }
  return scaling;
}

std::string to_json(const Scaling& scaling) { return dumped(json_of(scaling)); }

Result<Scaling> scaling_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parsed(text, "scaling"));
  return scaling_of(JsonCursor(json, "scaling"));
}

Json json_of(const Schema& schema) {
  Json columns = Json::array();
  for (const Column& column : schema.columns) {
    columns.push_back({{"name", column.name},
                       {"kind", name_of<ColumnKind>(kKinds, column.kind)},
                       {"role", name_of<ColumnRole>(kRoles, column.role)},
                       {"categories", column.categories}});
  }
  return Json{{"task", to_string(schema.task)}, {"header", schema.header}, {"columns", columns}};
}

Result<Schema> schema_of(const JsonCursor& root) {
  WEFT_RETURN_IF_ERROR(root.keys({"task", "header", "columns"}, {}));
  Schema schema;
  WEFT_ASSIGN_OR_RETURN(schema.task, task_of(root["task"]));
  WEFT_ASSIGN_OR_RETURN(schema.header, root["header"].boolean());
  WEFT_ASSIGN_OR_RETURN(const auto columns, root["columns"].elements());
  std::size_t labels = 0, features = 0;
  for (const JsonCursor& cursor : columns) {
    WEFT_ASSIGN_OR_RETURN(Column column, column_of(cursor));
    if (column.role == ColumnRole::kLabel && ++labels > 1) return cursor["role"].error("a second label, wanted one");
    features += column.role == ColumnRole::kFeature ? 1 : 0;
    schema.columns.push_back(std::move(column));
  }
  if (features == 0) return root["columns"].error("no feature, wanted at least one");
  return schema;
}

std::string to_json(const Schema& schema) { return dumped(json_of(schema)); }

Result<Schema> schema_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parsed(text, "schema"));
  return schema_of(JsonCursor(json, "schema"));
}

}  // namespace weft::data
