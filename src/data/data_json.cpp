// Scaling and Schema as JSON text and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/json_cursor.h"
#include "src/io/strict_json.h"
#include "weft/data.hpp"

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

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<nlohmann::json> parsed(std::string_view text, std::string_view place) {
  auto json = parse_strict_json(text, kMaxDepth);
  if (!json.ok()) return Status(json.status().code(), fmt::format("{}: {}", place, json.status().message()));
  return json;
}

Result<std::vector<double>> numbers(const JsonCursor& list) {
  WEFT_ASSIGN_OR_RETURN(const auto elements, list.elements());
  std::vector<double> result;
  for (const JsonCursor& element : elements) {
    const double number = element.value().is_number() ? element.value().get<double>() : std::nan("");
    if (!std::isfinite(number)) return element.wrong("a finite number");
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
  WEFT_ASSIGN_OR_RETURN(const auto categories, json["categories"].elements());
  for (const JsonCursor& category : categories) {
    WEFT_ASSIGN_OR_RETURN(std::string name, category.text());
    const auto& names = column.categories;
    if (std::find(names.begin(), names.end(), name) != names.end()) return category.error("a category twice");
    column.categories.push_back(std::move(name));
  }
  return column;
}

}  // namespace

std::string to_json(const Scaling& scaling) {
  return dumped(Json{{"kind", to_string(scaling.kind)},
                     {"offset", scaling.offset},
                     {"factor", scaling.factor},
                     {"fill", scaling.fill}});
}

Result<Scaling> scaling_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parsed(text, "scaling"));
  const JsonCursor root(json, "scaling");
  WEFT_RETURN_IF_ERROR(root.keys({"kind", "offset", "factor", "fill"}, {}));
  Scaling scaling;
  WEFT_ASSIGN_OR_RETURN(const std::string kind, root["kind"].text());
  auto known = parse_scaling(kind);
  if (!known.ok()) return root["kind"].wrong("none, unit or standardise");
  scaling.kind = *known;
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

std::string to_json(const Schema& schema) {
  Json columns = Json::array();
  for (const Column& column : schema.columns) {
    columns.push_back({{"name", column.name},
                       {"kind", name_of<ColumnKind>(kKinds, column.kind)},
                       {"role", name_of<ColumnRole>(kRoles, column.role)},
                       {"categories", column.categories}});
  }
  return dumped(Json{{"task", to_string(schema.task)}, {"header", schema.header}, {"columns", columns}});
}

Result<Schema> schema_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parsed(text, "schema"));
  const JsonCursor root(json, "schema");
  WEFT_RETURN_IF_ERROR(root.keys({"task", "header", "columns"}, {}));
  Schema schema;
  WEFT_ASSIGN_OR_RETURN(const std::string task, root["task"].text());
  auto known = parse_task(task);
  if (!known.ok()) return root["task"].wrong("classification or regression");
  schema.task = *known;
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

}  // namespace weft::data
