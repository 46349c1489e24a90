// GoldenFile: finding the cases in a file and the files in a folder.
#include "src/verify/golden_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/io/read_file.h"
#include "src/io/strict_json.h"

namespace weft::verify {
namespace {

using nlohmann::json;

constexpr int kDeepestJson = 256;

std::string label(const json& value, std::size_t number) {
  if (value.is_object()) {
    if (const auto name = value.find("name"); name != value.end() && name->is_string()) return name->get<std::string>();
  }
  return fmt::format("#{}", number);
}

GoldenEntry unsupported(std::string name, std::string reason) {
  return {std::move(name), Status(StatusCode::kUnsupported, std::move(reason))};
}

/// What a case that is not about training a model is about.
std::string kind_of(const json& value) {
  if (!value.is_object()) return "not a case";
  if (value.contains("kind") && value.contains("config")) {
    return fmt::format("layer of kind {}", value["kind"].dump(-1, ' ', true, json::error_handler_t::replace));
  }
  if (value.contains("src_ref") && value.contains("bytes")) return "stored number type or format";
  if (value.contains("src_ref")) return "number type or format";
  return "not a training case";
}

void read_list(const json& list, std::string_view path, std::vector<GoldenEntry>& entries) {
  for (const json& value : list) {
    std::string name = label(value, entries.size());
    if (!is_golden_case(value)) {
      entries.push_back(unsupported(std::move(name), kind_of(value)));
      continue;
    }
    entries.push_back({std::move(name), read_golden_case(Field(value, std::string(path)))});
  }
}

void read_seed(const json& document, std::vector<GoldenEntry>& entries) {
  const Field root(document, "");
  if (!document["modes"].is_array()) {
    entries.push_back({"modes", Field(document["modes"], "modes").wrong("a list")});
    return;
  }
  for (const json& value : document["modes"]) {
    const std::string path = fmt::format("modes[{}]", entries.size());
    std::string name = path;
    if (const Field mode(value, path); mode.has("mode") && value["mode"].is_string())
      name = value["mode"].get<std::string>();
    entries.push_back({std::move(name), read_seed_case(root, Field(value, path))});
  }
}

}  // namespace

Result<GoldenFile> read_golden_file(const std::filesystem::path& path) {
  WEFT_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  const Result<json> parsed = parse_strict_json(text, kDeepestJson);
  if (!parsed.ok()) {
    return Status(StatusCode::kDataLoss, fmt::format("{}: {}", path.string(), parsed.status().message()));
  }
  const json& document = *parsed;
  GoldenFile file{path, {}};
  if (is_seed_example(document)) {
    read_seed(document, file.entries);
  } else if (document.is_array()) {
    read_list(document, "", file.entries);
  } else if (is_golden_case(document)) {
    read_list(json::array({document}), "", file.entries);
  } else if (document.is_object() && document.contains("cases") && document["cases"].is_array()) {
    read_list(document["cases"], "", file.entries);
  }
  return file;
}

Result<std::vector<std::filesystem::path>> golden_files(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    const bool other = std::filesystem::exists(folder, error);
    return Status(StatusCode::kNotFound, fmt::format("{}: {}, wanted a folder of JSON files", folder.string(),
                                                     other ? "not a folder" : "no such folder"));
  }
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code kind;
    const bool file = entry->is_regular_file(kind);  // a pipe would be waited for
    if (file && entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (error) return Status(StatusCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace weft::verify
