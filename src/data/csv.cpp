// csv(): layout from the first block, rows in one pass, then the data set.
#include "src/data/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/core/utf8.h"
#include "src/data/csv_layout.h"
#include "src/data/csv_rows.h"
#include "src/data/labels.h"
#include "src/data/memory.h"

namespace weft::data {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kLargestSample = std::size_t{64} << 20;
constexpr std::string_view kBom = "\xef\xbb\xbf";

Status at_place(const std::string& place, const Status& status) {
  return Status(status.code(), fmt::format("{}: {}", place, status.message()));
}

Status check_options(const CsvOptions& options, const std::string& place) {
  WEFT_RETURN_IF_ERROR(check_classes(options.classes, place));
  constexpr std::string_view kUnusable = "\"\r\n.-+0123456789";
  if (options.delimiter != '\0' && kUnusable.find(options.delimiter) != std::string_view::npos) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: delimiter: {}, wanted a character that is no part of a number, quote or line end",
                              place, quote(std::string_view(&options.delimiter, 1))));
  }
  if (options.schema && options.schema->task != options.task) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: task: {}, wanted {} as in the data trained on", place,
                                                            to_string(options.task), to_string(options.schema->task)));
  }
  return Status();
}

// The layout, from as many blocks as hold two rows.
Result<CsvLayout> find_layout(CsvBuffer& buffer, const std::string& place, const CsvOptions& options) {
  for (std::size_t size = buffer.capacity();; size *= 2) {
    if (const Status filled = buffer.fill(size); !filled.ok()) return at_place(place, filled);
    std::string_view sample(buffer.begin(), static_cast<std::size_t>(buffer.end() - buffer.begin()));
    if (sample.empty()) return Status(StatusCode::kDataLoss, place + ": empty, wanted rows");
    if (sample.starts_with("\xff\xfe") || sample.starts_with("\xfe\xff")) {
      return Status(StatusCode::kInvalidArgument, place + ": UTF-16, wanted UTF-8");
    }
    const std::size_t bom = sample.starts_with(kBom) ? kBom.size() : 0;
    sample.remove_prefix(bom);
    const auto first = sample.find('\n');
    const bool two_rows = first != std::string_view::npos && sample.find('\n', first + 1) != std::string_view::npos;
    if (!two_rows && !buffer.whole() && size < kLargestSample) continue;
    WEFT_ASSIGN_OR_RETURN(CsvLayout layout, read_csv_layout(sample, buffer.whole(), place, options));
    buffer.drop_to(sample.data() + layout.body);
    return layout;
  }
}

// Numbers that categories got as they appeared become their places in order.
template <typename Number>
void renumber(Categories& categories, std::span<Number> numbers, std::size_t first, std::size_t step) {
  std::vector<bool> used(categories.names().size(), false);
  for (std::size_t i = first; i < numbers.size(); i += step) {
    if (!std::isnan(numbers[i])) used[static_cast<std::size_t>(numbers[i])] = true;
  }
  const auto anew = categories.sort(used);
  for (std::size_t i = first; i < numbers.size(); i += step) {
    if (!std::isnan(numbers[i])) numbers[i] = static_cast<Number>(anew[static_cast<std::size_t>(numbers[i])]);
  }
}

void finish_categories(CsvRows& rows, CsvLayout& layout) {
  const auto width = static_cast<std::size_t>(rows.width());
  std::size_t slot = 0;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    Column& column = layout.columns[c];
    if (column.role == ColumnRole::kIgnored) continue;
    if (column.kind == ColumnKind::kCategorical) {
      if (column.role == ColumnRole::kLabel) {
        renumber(rows.categories[c], std::span(rows.labels), 0, 1);
      } else {
        renumber(rows.categories[c], std::span(rows.values), slot, width);
      }
      column.categories = rows.categories[c].names();
    }
    if (column.role == ColumnRole::kFeature) ++slot;
  }
}

// A feature for each category: 1 where the row has it, all missing where it is missing.
std::vector<float> widen(const std::vector<float>& narrow, const std::vector<std::size_t>& widths, std::size_t rows,
                         std::size_t wide) {
  std::vector<float> values(rows * wide, 0.0f);
  const float* from = narrow.data();
  float* to = values.data();
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::size_t width : widths) {
      const float value = *from++;
      if (width == 0) {
        *to++ = value;
        continue;
      }
      if (std::isnan(value)) {
        for (std::size_t i = 0; i < width; ++i) to[i] = value;
      } else {
        to[static_cast<std::size_t>(value)] = 1.0f;
      }
      to += width;
    }
  }
  return values;
}

Status set_inputs(CsvRows& rows, const CsvLayout& layout, const std::string& place, std::uint64_t budget,
                  Dataset& dataset) {
  std::vector<std::size_t> widths;  // of each feature column; 0: the number itself
  std::size_t wide = 0;
  bool any = false;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const Column& column = layout.columns[c];
    if (column.role != ColumnRole::kFeature) continue;
    if (column.kind == ColumnKind::kCategorical && column.categories.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: {}: every value is missing, wanted a category; ignore the column", place,
                                column_label(layout.columns, c, layout.header)));
    }
    if (column.kind == ColumnKind::kNumeric) {
      widths.push_back(0);
      dataset.features.push_back(column.name);
      ++wide;
      continue;
    }
    any = true;
    widths.push_back(column.categories.size());
    wide += column.categories.size();
    for (const std::string& category : column.categories) dataset.features.push_back(column.name + "=" + category);
  }
  const auto n = static_cast<std::size_t>(rows.rows());
  if (any) {
    MemoryNeed need = rows.need(rows.rows());
    need.columns += static_cast<std::int64_t>(wide);
    WEFT_RETURN_IF_ERROR(check_memory(place, need, budget));
    rows.values = widen(rows.values, widths, n, wide);
  }
  for (const float value : rows.values) dataset.missing += std::isnan(value) ? 1 : 0;
  dataset.item = Shape{static_cast<std::int64_t>(wide)};
  dataset.inputs = Tensor(Shape{rows.rows(), static_cast<std::int64_t>(wide)}, std::move(rows.values));
  return Status();
}

Status set_labels(const CsvRows& rows, CsvLayout& layout, const std::string& place, const CsvOptions& options,
                  Dataset& dataset) {
  if (layout.label == kNoColumn) return Status();
  Column& label = layout.columns[layout.label];
  if (options.task == Task::kRegression) {
    std::vector<float> targets(rows.labels.begin(), rows.labels.end());
    dataset.targets = Tensor(Shape{rows.rows(), 1}, std::move(targets));
    return Status();
  }
  if (options.schema || label.kind == ColumnKind::kCategorical) {
    dataset.classes = label.categories;
    dataset.labels.assign(rows.labels.begin(), rows.labels.end());
    return Status();
  }
  WEFT_RETURN_IF_ERROR(
      encode_labels(rows.labels, options.classes,
                    fmt::format("{}: {}", place, column_label(layout.columns, layout.label, layout.header)), dataset));
  label.categories = dataset.classes;
  const auto& names = layout.promised_names;
  if (!names.empty()) {
    if (names.size() != dataset.classes.size()) {
      return Status(StatusCode::kDataLoss, fmt::format("{}:1: {} class names for {} different labels, wanted as many",
                                                       place, names.size(), dataset.classes.size()));
    }
    dataset.classes = names;
  }
  return Status();
}

// What is not kept with a model may be anything. Names of columns, and of classes in a first line of scikit-learn's
// form, stand in line 1; rows have been checked as they were read, but for names that were first seen in a dropped one.
Status check_names(const CsvLayout& layout, const std::string& place) {
  const auto check = [&](std::size_t c, std::string_view name, const char* line) {
    if (is_utf8(name)) return Status();
    return Status(StatusCode::kInvalidArgument, fmt::format("{}{}: column {}: {}", place, line, c, not_utf8(name)));
  };
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    WEFT_RETURN_IF_ERROR(check(c, layout.columns[c].name, ":1"));
    for (const std::string& category : layout.columns[c].categories) WEFT_RETURN_IF_ERROR(check(c, category, ""));
  }
  for (std::size_t i = 0; i < layout.promised_names.size(); ++i) {
    WEFT_RETURN_IF_ERROR(check(i + 2, layout.promised_names[i], ":1"));
  }
  return Status();
}

}  // namespace

Result<Dataset> read_csv(ByteSource& source, const std::string& place, const CsvOptions& options) {
  WEFT_RETURN_IF_ERROR(check_options(options, place));
  const std::uint64_t budget = memory_budget(options.memory);
  const std::uint64_t size = source.size();
  CsvBuffer buffer(source, size > 0 && size < kBlock ? static_cast<std::size_t>(size) + 1 : kBlock);
  WEFT_ASSIGN_OR_RETURN(CsvLayout layout, find_layout(buffer, place, options));
  CsvRows rows(layout, place, options, budget);
  if (source.size() > 0) {
    // Told before reading on; a margin, because the first rows may be shorter than the others.
    const auto expected = static_cast<std::int64_t>(source.size()) / layout.row_bytes + 1;
    if (!check_memory(place, rows.need(expected - expected / 4), budget).ok()) {
      return check_memory(place, rows.need(expected, true), budget);
    }
  }
  WEFT_RETURN_IF_ERROR(rows.read(buffer));
  if (rows.rows() == 0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: {} rows, all dropped for missing values", place, rows.dropped()));
  }
  if (layout.promised_rows >= 0 && layout.promised_rows != rows.rows() + rows.dropped()) {
    return Status(StatusCode::kDataLoss, fmt::format("{}:1: says {} rows, the file has {}, wanted as many", place,
                                                     layout.promised_rows, rows.rows() + rows.dropped()));
  }
  if (!options.schema) finish_categories(rows, layout);
  WEFT_RETURN_IF_ERROR(check_names(layout, place));
  Dataset dataset;
  dataset.source = place;
  dataset.type = "text";
  dataset.task = options.task;
  dataset.dropped = rows.dropped();
  dataset.first_line = rows.first_line();
  dataset.notes = layout.notes;
  if (rows.dropped() > 0) {
    dataset.notes.push_back(
        fmt::format("{} of {} rows were left out: a value is missing", rows.dropped(), rows.rows() + rows.dropped()));
  }
  WEFT_RETURN_IF_ERROR(set_inputs(rows, layout, place, budget, dataset));
  WEFT_RETURN_IF_ERROR(set_labels(rows, layout, place, options, dataset));
  dataset.schema = Schema{options.task, layout.header, std::move(layout.columns)};
  return dataset;
}

Result<Dataset> csv(const std::filesystem::path& file, const CsvOptions& options) {
  const std::string place = fmt::format("csv: {}", file.string());
  auto source = ByteSource::open(file);
  if (!source.ok()) return at_place(place, source.status());
  return read_csv(**source, place, options);
}

}  // namespace weft::data
