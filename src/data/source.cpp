// read(): what "csv:FILE", "digits" and the like name.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/byte_source.h"
#include "src/data/fashion_mnist.h"
#include "src/data/idx.h"
#include "weft/data.hpp"

namespace weft::data {
namespace {

constexpr const char* kWanted =
    "digits, fashion-mnist, csv:FILE, idx:IMAGES,LABELS, npy:X,Y, npz:FILE or the path of a file";

Status wrong(std::string_view source, std::string_view wanted) {
  return Status(StatusCode::kInvalidArgument, fmt::format("data: {}, wanted {}", quote(source), wanted));
}

// The digits as they were read: counts 0 to 16, the rows for testing last.
Result<Dataset> digits_dataset(const std::filesystem::path& folder) {
  constexpr float kMostInk = 16.0f;
  WEFT_ASSIGN_OR_RETURN(const Split parts, digits(folder.empty() ? folder : folder / "digits.csv.gz"));
  Dataset dataset;
  dataset.source = "digits";
  dataset.type = "text";
  dataset.item = Shape{8, 8};
  dataset.alike = true;
  dataset.classes = parts.classes;
  dataset.test_rows = parts.test.size();
  std::vector<float> values;
  for (const Samples* part : {&parts.train, &parts.test}) {
    for (const float value : part->inputs.values<float>()) values.push_back(value * kMostInk);
    dataset.labels.insert(dataset.labels.end(), part->labels.begin(), part->labels.end());
  }
  dataset.inputs = Tensor(Shape{parts.train.size() + parts.test.size(), 64}, std::move(values));
  return dataset;
}

// "A,B" or, where the second may be missing, "A". A file that is there by the whole name is meant by it.
std::pair<std::string, std::string> two_files(std::string_view names) {
  std::error_code ignored;
  const std::size_t comma = names.find(',');
  if (comma == std::string_view::npos || std::filesystem::exists(std::filesystem::path(names), ignored)) {
    return {std::string(names), ""};
  }
  return {std::string(names.substr(0, comma)), std::string(names.substr(comma + 1))};
}

Result<Dataset> read_file_by_content(std::string_view source, const ReadOptions& options) {
  const std::filesystem::path file(source);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    if (source.find_first_of("./") == std::string_view::npos) return wrong(source, kWanted);
    return Status(StatusCode::kNotFound, fmt::format("data: {}: no such file, wanted {}", quote(source), kWanted));
  }
  if (std::filesystem::is_directory(file, ignored)) return wrong(source, "a file, not a folder");
  std::string start(8, '\0');
  auto bytes = ByteSource::open(file);
  Result<std::size_t> got =
      bytes.ok() ? (*bytes)->read(start.data(), start.size()) : Result<std::size_t>(bytes.status());
  if (!got.ok()) return Status(got.status().code(), fmt::format("data: {}: {}", quote(source), got.status().message()));
  start.resize(*got);
  if (start.starts_with("\x93NUMPY")) return npy(file, {}, options.array);
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return npz(file, options.array);
  if (is_idx(start)) return idx(file, {}, options.array);
  const std::string name = lower_case(source);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends(".npy")) return npy(file, {}, options.array);
  if (ends(".npz")) return npz(file, options.array);
  if (ends("-ubyte") || ends("-ubyte.gz") || ends(".idx") || ends(".idx.gz")) return idx(file, {}, options.array);
  return csv(file, options.csv);
}

Result<Dataset> read_named(std::string_view source, const ReadOptions& options) {
  if (source == "digits") return digits_dataset(options.folder);
  if (source == "fashion-mnist") return fashion_mnist_dataset(options.folder, options.array.memory);
  const std::size_t colon = source.find(':');
  const std::string_view scheme = source.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : source.substr(colon + 1);
  if (scheme != "csv" && scheme != "idx" && scheme != "npy" && scheme != "npz") {
    if (source.empty()) return wrong(source, kWanted);
    return read_file_by_content(source, options);
  }
  if (rest.empty()) return wrong(source, fmt::format("{}:FILE", scheme));
  if (scheme == "csv") return csv(std::filesystem::path(rest), options.csv);
  if (scheme == "npz") return npz(std::filesystem::path(rest), options.array);
  const auto [inputs, targets] = two_files(rest);
  return scheme == "idx" ? idx(inputs, targets, options.array) : npy(inputs, targets, options.array);
}

}  // namespace

Result<Dataset> read(std::string_view source, const ReadOptions& options) {
  auto dataset = read_named(source, options);
  if (!dataset.ok()) return dataset;
  dataset->reading = {.source = std::string(source),
                      .folder = options.folder.string(),
                      .delimiter = options.csv.delimiter,
                      .missing = options.csv.missing,
                      .missing_text = options.csv.missing_text,
                      .inputs = options.array.inputs,
                      .targets = options.array.targets};
  return dataset;
}

}  // namespace weft::data
