// read(): what "csv:FILE", "digits" and the like name.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/byte_source.h"
#include "src/data/digits_file.h"
#include "src/data/fashion_mnist.h"
#include "src/data/idx.h"
#include "src/data/memory.h"
#include "src/data/source_file.h"
#include "weft/data.hpp"

namespace weft::data {
namespace {

constexpr const char* kWanted =
    "digits, fashion-mnist, csv:FILE, idx:IMAGES,LABELS, npy:X,Y, npz:FILE or the path of a file";

Status wrong(std::string_view source, std::string_view wanted) {
  return Status(StatusCode::kInvalidArgument, fmt::format("data: {}, wanted {}", quote(source), wanted));
}

// The digits as they were read: counts 0 to 16, the rows for testing last.
Result<Dataset> digits_dataset(const std::filesystem::path& folder, std::uint64_t budget) {
  constexpr float kMostInk = 16.0f;
  WEFT_ASSIGN_OR_RETURN(const Split parts, digits(folder.empty() ? folder : folder / kDigitsFile));
  const std::int64_t rows = parts.train.size() + parts.test.size();
  // The parts, with their targets, and all rows beside them.
  WEFT_RETURN_IF_ERROR(check_memory("digits", {.rows = rows, .columns = 2 * 64 + 10, .row_bytes = 8}, budget));
  Dataset dataset;
  dataset.source = "digits";
  dataset.type = "text";
  dataset.item = Shape{8, 8};
  dataset.alike = true;
  dataset.classes = parts.classes;
  dataset.test_rows = parts.test.size();
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(rows * 64));
  for (const Samples* part : {&parts.train, &parts.test}) {
    for (const float value : part->inputs.values<float>()) values.push_back(value * kMostInk);
    dataset.labels.insert(dataset.labels.end(), part->labels.begin(), part->labels.end());
  }
  dataset.inputs = Tensor(Shape{rows, 64}, std::move(values));
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

enum class Format : std::uint8_t { kDigits, kFashionMnist, kCsv, kIdx, kNpy, kNpz };

// What a source names: a format, and the files.
struct Named {
  Format format = Format::kCsv;
  std::vector<std::filesystem::path> files;
};

Result<Format> format_by_content(std::string_view source, const std::filesystem::path& file) {
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
  if (start.starts_with("\x93NUMPY")) return Format::kNpy;
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return Format::kNpz;
  if (is_idx(start)) return Format::kIdx;
  const std::string name = lower_case(source);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends(".npy")) return Format::kNpy;
  if (ends(".npz")) return Format::kNpz;
  if (ends("-ubyte") || ends("-ubyte.gz") || ends(".idx") || ends(".idx.gz")) return Format::kIdx;
  return Format::kCsv;
}

Result<Named> resolve(std::string_view source, const ReadOptions& options) {
  if (source == "digits") return Named{Format::kDigits, {}};
  if (source == "fashion-mnist") return Named{Format::kFashionMnist, {}};
  static constexpr std::pair<std::string_view, Format> kSchemes[] = {
      {"csv:", Format::kCsv}, {"idx:", Format::kIdx}, {"npy:", Format::kNpy}, {"npz:", Format::kNpz}};
  for (const auto& [scheme, format] : kSchemes) {
    if (!source.starts_with(scheme)) continue;
    const std::string_view rest = source.substr(scheme.size());
    if (rest.empty()) return wrong(source, fmt::format("{}FILE", scheme));
    Named named{format, options.files};
    if (!named.files.empty()) return named;
    if (format == Format::kCsv || format == Format::kNpz) {
      named.files = {std::filesystem::path(rest)};
      return named;
    }
    const auto [inputs, targets] = two_files(rest);
    named.files = {inputs};
    if (!targets.empty()) named.files.emplace_back(targets);
    return named;
  }
  if (source.empty()) return wrong(source, kWanted);
  Named named{Format::kCsv, options.files};
  if (named.files.empty()) named.files = {std::filesystem::path(source)};
  WEFT_ASSIGN_OR_RETURN(named.format, format_by_content(source, named.files.front()));
  return named;
}

Result<Dataset> read_named(const Named& named, const ReadOptions& options) {
  const auto file = [&](std::size_t i) { return i < named.files.size() ? named.files[i] : std::filesystem::path(); };
  switch (named.format) {
    case Format::kDigits: return digits_dataset(options.folder, memory_budget(options.array.memory));
    case Format::kFashionMnist: return fashion_mnist_dataset(options.folder, options.array.memory);
    case Format::kCsv: return csv(file(0), options.csv);
    case Format::kIdx: return idx(file(0), file(1), options.array);
    case Format::kNpy: return npy(file(0), file(1), options.array);
    case Format::kNpz: return npz(file(0), options.array);
  }
  return Status(StatusCode::kInternal, "data: no such format");
}

}  // namespace

Result<Dataset> read(std::string_view source, const ReadOptions& options) {
  WEFT_ASSIGN_OR_RETURN(const Named named, resolve(source, options));
  auto dataset = read_named(named, options);
  if (!dataset.ok()) return dataset;
  dataset->memory = memory_budget(named.format == Format::kCsv ? options.csv.memory : options.array.memory);
  dataset->reading = {.source = std::string(source),
                      .files = {},
                      .folder = options.folder.empty() ? "" : absolute_path(options.folder).string(),
                      .delimiter = options.csv.delimiter,
                      .missing = options.csv.missing,
                      .missing_text = options.csv.missing_text,
                      .inputs = options.array.inputs,
                      .targets = options.array.targets};
  for (const auto& file : named.files) dataset->reading.files.push_back(absolute_path(file).string());
  return dataset;
}

}  // namespace weft::data
