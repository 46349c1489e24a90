// Rows made alike: what a split did, done again to other rows or to the same.
#include "weft/preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/checksum.h"
#include "src/data/parts.h"
#include "src/data/scaling.h"
#include "src/data/source_file.h"

namespace weft::data {
namespace {

constexpr NameRow<Part> kParts[] = {
    {"all", Part::kAll}, {"train", Part::kTrain}, {"validation", Part::kValidation}, {"test", Part::kTest}};

Status wrong(const Dataset& dataset, std::string_view message) {
  return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}", dataset.source, message));
}

bool is_table(const Preparation& preparation) { return !preparation.schema.columns.empty(); }

// A whole number from 0 to count-1 in its plain spelling, or -1.
std::int32_t place_of(std::string_view name, std::size_t count) {
  std::int32_t number = -1;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = code == std::errc() && end == name.data() + name.size() && fmt::to_string(number) == name;
  return whole && number >= 0 && static_cast<std::size_t>(number) < count ? number : -1;
}

// The place in the model's classes of each class of the data set; -1 where the model does not know it.
std::vector<std::int32_t> places_of(const Dataset& dataset, const std::vector<std::string>& classes) {
  std::unordered_map<std::string_view, std::int32_t> known;
  for (const std::string& name : classes) known.emplace(name, static_cast<std::int32_t>(known.size()));
  const bool named =
      std::all_of(classes.begin(), classes.end(), [](const auto& name) { return place_of(name, INT32_MAX) < 0; });
  std::vector<std::int32_t> places;
  for (const std::string& name : dataset.classes) {
    const auto found = known.find(name);
    places.push_back(found != known.end() ? found->second : named ? place_of(name, classes.size()) : -1);
  }
  return places;
}

Result<std::vector<std::int32_t>> labels_of(const Dataset& dataset, const Preparation& preparation) {
  const std::vector<std::int32_t> places = places_of(dataset, preparation.classes);
  std::vector<std::int32_t> labels;
  labels.reserve(dataset.labels.size());
  for (std::size_t row = 0; row < dataset.labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(dataset.labels[row]);
    if (places[label] < 0) {
      std::vector<KnownName> known;
      for (const std::string& name : preparation.classes) known.push_back({name, quote(name)});
      const Status status = unknown_name("class", dataset.classes[label], known);
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: {}; wanted one of the {} classes that were trained on",
                                row_place(dataset, static_cast<std::int64_t>(row)), status.message(), known.size()));
    }
    labels.push_back(places[label]);
  }
  return labels;
}

Status check_features(const Dataset& dataset, const Preparation& preparation) {
  const std::int64_t features = preparation.item.elements();
  const std::int64_t seen = dataset.inputs.shape().rank() == 2 ? dataset.inputs.shape()[1] : 0;
  if (seen == features && dataset.size() > 0) return Status();
  const bool label = seen + 1 == features && !dataset.schema.columns.empty() && !is_table(preparation);
  return wrong(dataset, fmt::format("{} rows of {} feature{}, wanted {} as in the data trained on{}", dataset.size(),
                                    seen, seen == 1 ? "" : "s", features,
                                    label ? "; where no column is a label, say that the label is none" : ""));
}

Status check_missing(const Dataset& dataset, const Preparation& preparation) {
  if (dataset.missing == 0 || !preparation.scaling.fill.empty()) return Status();
  const auto values = dataset.inputs.values<float>();
  const auto at = std::find_if(values.begin(), values.end(), [](float value) { return std::isnan(value); });
  if (at == values.end()) return Status();
  const auto index = static_cast<std::size_t>(at - values.begin());
  const auto width = static_cast<std::size_t>(dataset.inputs.shape()[1]);
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{}: missing, wanted a value: none was missing in the training part, so nothing stands for "
                            "it; the missing option can drop such rows",
                            CellNames{.dataset = &dataset}.cell(index / width, index % width)));
}

Status check_targets(const Dataset& dataset, const Preparation& preparation) {
  const bool targets = dataset.targets.shape().rank() == 2;
  if (dataset.task != preparation.task && (targets || !dataset.labels.empty())) {
    return wrong(dataset, fmt::format("read for a {}, wanted a {} as trained on", to_string(dataset.task),
                                      to_string(preparation.task)));
  }
  if (!targets || dataset.targets.shape()[1] == preparation.outputs) return Status();
  return wrong(dataset, fmt::format("{} targets a row, wanted {} as in the data trained on", dataset.targets.shape()[1],
                                    preparation.outputs));
}

Result<Samples> prepare_rows(const Dataset& dataset, const Preparation& preparation, const RowNumbers& rows) {
  WEFT_RETURN_IF_ERROR(check_features(dataset, preparation));
  WEFT_RETURN_IF_ERROR(check_targets(dataset, preparation));
  WEFT_RETURN_IF_ERROR(check_missing(dataset, preparation));
  WEFT_ASSIGN_OR_RETURN(const auto labels, labels_of(dataset, preparation));
  Samples samples = samples_of({dataset, labels, preparation.outputs}, rows);
  CellNames names{.dataset = &dataset, .rows = rows};
  WEFT_RETURN_IF_ERROR(apply_scaling(preparation.scaling, samples.inputs, names));
  names.targets = true;
  if (dataset.targets.shape().rank() == 2) {
    WEFT_RETURN_IF_ERROR(apply_scaling(preparation.target_scaling, samples.targets, names));
  }
  return samples;
}

// The name of a data set that read() did not fill is its source.
Reading reading_of(const Dataset& dataset) {
  Reading reading = dataset.reading;
  if (reading.source.empty()) reading.source = dataset.source;
  return reading;
}

}  // namespace

std::string_view to_string(Part part) {
  return std::find_if(std::begin(kParts), std::end(kParts), [&](const auto& row) { return row.value == part; })
      ->spelling;
}

Result<Part> parse_part(std::string_view name) {
  return parse_name<Part>("part", name, std::span<const NameRow<Part>>(kParts));
}

Preparation preparation_of(const Dataset& dataset, const SplitOptions& options, const Split& parts) {
  Preparation preparation;
  preparation.reading = reading_of(dataset);
  preparation.task = dataset.task;
  preparation.item = dataset.item;
  preparation.classes = dataset.classes;
  preparation.outputs = dataset.task == Task::kClassification ? static_cast<std::int64_t>(dataset.classes.size())
                                                              : parts.train.targets.shape().features();
  preparation.scaling = parts.scaling;
  preparation.target_scaling = parts.target_scaling;
  preparation.schema = dataset.schema;
  preparation.rows = parts.train.size() + parts.validation.size() + parts.test.size();
  preparation.test_rows = dataset.test_rows;
  preparation.checksum = parts.checksum;
  preparation.split = options;
  return preparation;
}

ReadOptions read_options(const Preparation& preparation) {
  const Reading& reading = preparation.reading;
  ReadOptions options;
  options.folder = reading.folder;
  options.csv.task = options.array.task = preparation.task;
  options.csv.delimiter = reading.delimiter;
  options.csv.missing = reading.missing;
  options.csv.missing_text = reading.missing_text;
  options.array.inputs = reading.inputs;
  options.array.targets = reading.targets;
  return options;
}

bool same_source(const Reading& a, const Reading& b) {
  if (a.files.size() != b.files.size()) return false;
  if (a.files.empty()) return a.source == b.source;
  return std::equal(a.files.begin(), a.files.end(), b.files.begin(),
                    [](const auto& one, const auto& other) { return one == other || same_file(one, other); });
}

Result<Dataset> read_again(const Preparation& preparation) {
  return read_again(preparation, read_options(preparation));
}

Result<Dataset> read_again(const Preparation& preparation, ReadOptions options) {
  options.files.assign(preparation.reading.files.begin(), preparation.reading.files.end());
  return read_alike(preparation.reading.source, preparation, options);
}

Result<Dataset> read_alike(std::string_view source, const Preparation& preparation) {
  return read_alike(source, preparation, read_options(preparation));
}

Result<Dataset> read_alike(std::string_view source, const Preparation& preparation, const ReadOptions& options) {
  ReadOptions alike = options;
  alike.csv.task = alike.array.task = preparation.task;
  if (is_table(preparation)) {
    alike.csv.schema = preparation.schema;
    alike.csv.classes = 0;
  }
  WEFT_ASSIGN_OR_RETURN(Dataset dataset, read(source, alike));
  // The schema holds the labels as they are written; a first line of scikit-learn's form may have named the classes.
  const bool table = is_table(preparation) && !dataset.schema.columns.empty();
  if (table && dataset.classes.size() == preparation.classes.size()) dataset.classes = preparation.classes;
  WEFT_RETURN_IF_ERROR(check_features(dataset, preparation));
  WEFT_RETURN_IF_ERROR(check_targets(dataset, preparation));
  return dataset;
}

Result<Samples> prepare(const Dataset& dataset, const Preparation& preparation) {
  RowNumbers all(static_cast<std::size_t>(dataset.size()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return prepare_rows(dataset, preparation, all);
}

Result<std::vector<std::int64_t>> rows_of(const Dataset& dataset, const Preparation& preparation, Part part) {
  RowNumbers all(static_cast<std::size_t>(dataset.size()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  if (part == Part::kAll) return all;
  const bool other = !same_source(reading_of(dataset), preparation.reading);
  if (other && part == Part::kTest && dataset.test_rows > 0) {
    return RowNumbers(all.end() - static_cast<std::ptrdiff_t>(dataset.test_rows), all.end());
  }
  if (dataset.size() != preparation.rows || dataset.test_rows != preparation.test_rows) {
    return wrong(dataset, fmt::format("{} rows ({} for testing), wanted {} ({}) as when the model was trained; of "
                                      "other rows the {} part cannot be told",
                                      dataset.size(), dataset.test_rows, preparation.rows, preparation.test_rows,
                                      to_string(part)));
  }
  WEFT_ASSIGN_OR_RETURN(const auto labels, labels_of(dataset, preparation));
  if (const std::uint64_t seen = checksum_of(dataset, labels); seen != preparation.checksum) {
    return wrong(dataset, fmt::format("the data have changed since the model was trained (checksum seen {:016x}, "
                                      "wanted {:016x}); of other rows the {} part cannot be told",
                                      seen, preparation.checksum, to_string(part)));
  }
  WEFT_ASSIGN_OR_RETURN(Parts parts, draw_parts(dataset, labels, preparation.classes.size(), preparation.split));
  RowNumbers& rows = part == Part::kTrain ? parts.train : part == Part::kTest ? parts.test : parts.validation;
  if (rows.empty()) {
    return wrong(dataset, fmt::format("the {} part has no rows: none were set apart when the model was trained",
                                      to_string(part)));
  }
  return std::move(rows);
}

Result<Samples> prepare_part(const Dataset& dataset, const Preparation& preparation, Part part) {
  WEFT_ASSIGN_OR_RETURN(const RowNumbers rows, rows_of(dataset, preparation, part));
  return prepare_rows(dataset, preparation, rows);
}

}  // namespace weft::data
