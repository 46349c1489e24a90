// Preparation as JSON text and back, data.json in a model's folder.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "src/core/try.h"
#include "src/data/data_json.h"
#include "src/data/labels.h"
#include "src/io/atomic_file.h"
#include "src/io/read_file.h"
#include "weft/preparation.hpp"

namespace weft::data {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = "data.json";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMost = std::int64_t{1} << 40;       // rows: what Shape::validate allows
constexpr std::int64_t kMostWidth = std::int64_t{1} << 28;  // features, outputs: a row of 1 GiB
constexpr std::size_t kMostFiles = 2;                       // images and labels
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

Json json_of(const Reading& reading) {
  return Json{{"source", reading.source},
              {"files", reading.files},
              {"folder", reading.folder},
              {"delimiter", reading.delimiter == '\0' ? "" : std::string(1, reading.delimiter)},
              {"missing", to_string(reading.missing)},
              {"missing_text", reading.missing_text},
              {"inputs", reading.inputs},
              {"targets", reading.targets}};
}

Json parts_json(const Preparation& preparation) {
  const SplitOptions& split = preparation.split;
  return Json{{"rows", preparation.rows},
              {"test_rows", preparation.test_rows},
              {"checksum", fmt::format("{:016x}", preparation.checksum)},
              {"validation", split.validation},
              {"test", split.test ? Json(*split.test) : Json()},
              {"seed", split.seed},
              {"scaling", to_string(split.scaling)},
              {"target_scaling", to_string(split.target_scaling)}};
}

Json json_of(const Preparation& preparation) {
  Json item = Json::array();
  for (const std::int64_t axis : preparation.item.axes()) item.push_back(axis);
  return Json{{"version", kVersion},
              {"reading", json_of(preparation.reading)},
              {"task", to_string(preparation.task)},
              {"item", item},
              {"classes", preparation.classes},
              {"outputs", preparation.outputs},
              {"scaling", json_of(preparation.scaling)},
              {"target_scaling", json_of(preparation.target_scaling)},
              {"schema", preparation.schema.columns.empty() ? Json() : json_of(preparation.schema)},
              {"parts", parts_json(preparation)}};
}

// A line for each key: hundreds of offsets are no reading matter. Throws where a text is not UTF-8.
std::string text_of(const Json& json, Json::error_handler_t handler) {
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}\n  \"{}\": {}", text.size() > 1 ? "," : "", key, value.dump(-1, ' ', false, handler));
  }
  return text + "\n}\n";
}

Result<Reading> reading_of(const JsonCursor& json) {
  WEFT_RETURN_IF_ERROR(
      json.keys({"source", "files", "folder", "delimiter", "missing", "missing_text", "inputs", "targets"}, {}));
  Reading reading;
  WEFT_ASSIGN_OR_RETURN(reading.source, json["source"].text());
  WEFT_ASSIGN_OR_RETURN(const auto files, json["files"].elements());
  if (files.size() > kMostFiles) return json["files"].wrong(fmt::format("at most {} files", kMostFiles));
  for (const JsonCursor& file : files) {
    WEFT_ASSIGN_OR_RETURN(std::string path, file.text());
    reading.files.push_back(std::move(path));
  }
  WEFT_ASSIGN_OR_RETURN(reading.folder, json["folder"].text());
  WEFT_ASSIGN_OR_RETURN(const std::string delimiter, json["delimiter"].text());
  if (delimiter.size() > 1) return json["delimiter"].wrong("one character, or none");
  if (!delimiter.empty()) reading.delimiter = delimiter.front();
  WEFT_ASSIGN_OR_RETURN(const std::string missing, json["missing"].text());
  const auto known = parse_missing(missing);
  if (!known.ok()) return json["missing"].wrong("refuse, drop or mean");
  reading.missing = *known;
  WEFT_ASSIGN_OR_RETURN(reading.missing_text, json["missing_text"].text());
  WEFT_ASSIGN_OR_RETURN(reading.inputs, json["inputs"].text());
  WEFT_ASSIGN_OR_RETURN(reading.targets, json["targets"].text());
  return reading;
}

Result<Shape> shape_of(const JsonCursor& json) {
  WEFT_ASSIGN_OR_RETURN(const auto axes, json.elements());
  if (axes.empty() || axes.size() > Shape::kMaxRank) return json.wrong(fmt::format("1 to {} axes", Shape::kMaxRank));
  std::vector<std::int64_t> sizes;
  for (const JsonCursor& axis : axes) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t size, axis.integer(1, kMostWidth));
    sizes.push_back(size);
  }
  const Shape shape(sizes);
  if (!shape.validate().ok() || shape.elements() > kMostWidth) {
    return json.error(fmt::format("[{}], wanted at most {} numbers", fmt::join(sizes, ", "), kMostWidth));
  }
  return shape;
}

Result<double> share_of(const JsonCursor& json) {
  WEFT_ASSIGN_OR_RETURN(const double share, number_of(json));
  if (share < 0.0 || share >= 1.0) return json.wrong("at least 0 and less than 1");
  return share;
}

// 16 digits: JSON's numbers are not that long everywhere.
Result<std::uint64_t> checksum_of(const JsonCursor& json) {
  WEFT_ASSIGN_OR_RETURN(const std::string text, json.text());
  std::uint64_t checksum = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), checksum, 16);
  const bool all = code == std::errc() && end == text.data() + text.size();
  if (!all || fmt::format("{:016x}", checksum) != text) return json.wrong("16 hexadecimal digits");
  return checksum;
}

Status read_parts(const JsonCursor& json, Preparation& preparation) {
  WEFT_RETURN_IF_ERROR(
      json.keys({"rows", "test_rows", "checksum", "validation", "test", "seed", "scaling", "target_scaling"}, {}));
  WEFT_ASSIGN_OR_RETURN(preparation.rows, json["rows"].integer(1, kMost));
  WEFT_ASSIGN_OR_RETURN(preparation.test_rows, json["test_rows"].integer(0, preparation.rows - 1));
  WEFT_ASSIGN_OR_RETURN(preparation.checksum, checksum_of(json["checksum"]));
  WEFT_ASSIGN_OR_RETURN(preparation.split.validation, share_of(json["validation"]));
  if (!json["test"].value().is_null()) {
    WEFT_ASSIGN_OR_RETURN(preparation.split.test, share_of(json["test"]));
  }
  if (!json["seed"].value().is_number_unsigned()) return json["seed"].wrong("a whole number that is not negative");
  preparation.split.seed = json["seed"].value().get<std::uint64_t>();
  WEFT_ASSIGN_OR_RETURN(preparation.split.scaling, scaling_kind_of(json["scaling"]));
  WEFT_ASSIGN_OR_RETURN(preparation.split.target_scaling, scaling_kind_of(json["target_scaling"]));
  return Status();
}

// A feature for each number and each category.
std::int64_t features_of(const Schema& schema) {
  std::int64_t features = 0;
  for (const Column& column : schema.columns) {
    if (column.role != ColumnRole::kFeature) continue;
    features += column.kind == ColumnKind::kNumeric ? 1 : static_cast<std::int64_t>(column.categories.size());
  }
  return features;
}

// What is read must hold together: the rest of weft relies on it.
Status check(const JsonCursor& root, const Preparation& preparation) {
  const std::int64_t features = preparation.item.elements();
  const bool classes = preparation.task == Task::kClassification;
  const auto wanted = static_cast<std::int64_t>(preparation.classes.size());
  if (!classes && wanted > 0) return root["classes"].wrong("none for a regression");
  if (classes && preparation.outputs != wanted) return root["outputs"].wrong(fmt::format("{}, a class each", wanted));
  const Scaling& scaling = preparation.scaling;
  const auto fits = [&](std::size_t size) { return size == 0 || static_cast<std::int64_t>(size) == features; };
  if (scaling.offset.size() != 1 && !fits(scaling.offset.size())) {
    return root["scaling"]["offset"].wrong(fmt::format("none, one, or one for each of {} features", features));
  }
  if (!fits(scaling.fill.size())) {
    return root["scaling"]["fill"].wrong(fmt::format("none, or one for each of {} features", features));
  }
  const Scaling& targets = preparation.target_scaling;
  if (classes && targets.kind != ScalingKind::kNone) return root["target_scaling"]["kind"].wrong("none for classes");
  if (targets.kind != ScalingKind::kNone && static_cast<std::int64_t>(targets.offset.size()) != preparation.outputs) {
    return root["target_scaling"]["offset"].wrong(fmt::format("one for each of {} outputs", preparation.outputs));
  }
  if (!targets.fill.empty()) return root["target_scaling"]["fill"].wrong("none");
  const Schema& schema = preparation.schema;
  if (schema.columns.empty()) return Status();
  if (features_of(schema) != features) {
    return root["schema"]["columns"].error(
        fmt::format("{} features, wanted {} as item says", features_of(schema), features));
  }
  if (schema.task != preparation.task) return root["schema"]["task"].wrong(to_string(preparation.task));
  const auto label = std::find_if(schema.columns.begin(), schema.columns.end(),
                                  [](const Column& column) { return column.role == ColumnRole::kLabel; });
  if (label == schema.columns.end()) return root["schema"]["columns"].error("no label, wanted one");
  if (classes && static_cast<std::int64_t>(label->categories.size()) != wanted) {
    return root["schema"]["columns"].error(
        fmt::format("the label has {} categories, wanted {}, a class each", label->categories.size(), wanted));
  }
  return Status();
}

}  // namespace

std::string to_json(const Preparation& preparation) {
  return text_of(json_of(preparation), Json::error_handler_t::replace);
}

Result<Preparation> preparation_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parsed(text, "data"));
  const JsonCursor root(json, "data");
  WEFT_RETURN_IF_ERROR(root.keys(
      {"version", "reading", "task", "item", "classes", "outputs", "scaling", "target_scaling", "schema", "parts"},
      {}));
  WEFT_RETURN_IF_ERROR(root["version"].integer(kVersion, kVersion).status());
  Preparation preparation;
  WEFT_ASSIGN_OR_RETURN(preparation.reading, reading_of(root["reading"]));
  WEFT_ASSIGN_OR_RETURN(preparation.task, task_of(root["task"]));
  WEFT_ASSIGN_OR_RETURN(preparation.item, shape_of(root["item"]));
  WEFT_ASSIGN_OR_RETURN(preparation.classes, names_of(root["classes"], "a class"));
  WEFT_ASSIGN_OR_RETURN(preparation.outputs, root["outputs"].integer(1, kMostWidth));
  WEFT_ASSIGN_OR_RETURN(preparation.scaling, scaling_of(root["scaling"]));
  WEFT_ASSIGN_OR_RETURN(preparation.target_scaling, scaling_of(root["target_scaling"]));
  if (!root["schema"].value().is_null()) {
    WEFT_ASSIGN_OR_RETURN(preparation.schema, schema_of(root["schema"]));
  }
  WEFT_RETURN_IF_ERROR(read_parts(root["parts"], preparation));
  WEFT_RETURN_IF_ERROR(check(root, preparation));
  return preparation;
}

Status save_preparation(const Preparation& preparation, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  std::string text;
  try {
    text = text_of(json_of(preparation), Json::error_handler_t::strict);
  } catch (const Json::exception&) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("write '{}': a name or a category is not UTF-8, wanted UTF-8 text", file.string()));
  }
  return write_file_atomically(file, text.data(), text.size());
}

Result<Preparation> load_preparation(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  WEFT_ASSIGN_OR_RETURN(const std::string text, read_file(file, kMostBytes));
  auto preparation = preparation_from_json(text);
  if (!preparation.ok()) {
    return Status(preparation.status().code(), fmt::format("'{}': {}", file.string(), preparation.status().message()));
  }
  return preparation;
}

}  // namespace weft::data
