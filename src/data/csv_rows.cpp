// The rows: short numbers on a fast way, everything else field by field.
#include "src/data/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/core/utf8.h"
#include "src/data/labels.h"
#include "src/data/memory.h"
#include "src/data/number.h"

namespace weft::data {
namespace {

constexpr std::size_t kLargestRow = std::size_t{64} << 20;
constexpr std::uint32_t kExact = std::uint32_t{1} << 24;
constexpr std::size_t kMostDigits = 18;  // fit a std::uint64_t
constexpr float kPowers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Digits with a point, where both the digits and the power of ten are exact as float, so that one division rounds the
// quotient correctly (W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990). Returns what follows
// the number, or nullptr for the slow way. The text ends with something that is no digit.
const char* read_short_number(const char* p, float& number) {
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* start = p;
  std::uint64_t mantissa = 0;
  for (; is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  std::size_t digits = static_cast<std::size_t>(p - start), decimals = 0;
  if (*p == '.') {
    const char* point = ++p;
    for (; is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    decimals = static_cast<std::size_t>(p - point);
    digits += decimals;
  }
  if (digits == 0 || digits > kMostDigits || mantissa > kExact || decimals >= std::size(kPowers)) return nullptr;
  float value = static_cast<float>(mantissa);
  if (decimals > 0) value /= kPowers[decimals];
  number = negative ? -value : value;
  return p;
}

// "a, b", of many the first ones, as a terminal may show them.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostListed = 20;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    const std::string quoted = quote(names[i]);
    listed.push_back(quoted.substr(1, quoted.size() - 2));
  }
  if (listed.size() < names.size()) listed.push_back(fmt::format("... ({} in all)", names.size()));
  return fmt::format("{}", fmt::join(listed, ", "));
}

}  // namespace

// ---- Categories ----

Categories::Categories(const std::vector<std::string>& names) : fixed_(true), names_(names) {
  for (std::size_t i = 0; i < names.size(); ++i) numbers_.emplace(names[i], static_cast<std::int32_t>(i));
}

std::int32_t Categories::number(std::string_view name, std::int64_t most) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  if (fixed_ || static_cast<std::int64_t>(names_.size()) >= most) return -1;
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(names_.back(), number);
  return number;
}

std::vector<std::int32_t> Categories::sort(const std::vector<bool>& used) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (used[i]) kept.push_back(names_[i]);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<std::int32_t> renumbered(names_.size(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    renumbered[static_cast<std::size_t>(numbers_.at(kept[i]))] = static_cast<std::int32_t>(i);
  }
  names_ = std::move(kept);
  return renumbered;
}

// ---- CsvBuffer ----

Status CsvBuffer::fill(std::size_t size) {
  const std::size_t left = end_ - begin_;
  std::memmove(bytes_.data(), bytes_.data() + begin_, left);
  begin_ = 0;
  end_ = left;
  if (size > capacity()) bytes_.resize(size + 1);
  while (!whole_ && end_ < capacity()) {
    WEFT_ASSIGN_OR_RETURN(const std::size_t got, source_.read(bytes_.data() + end_, capacity() - end_));
    whole_ = got == 0;
    end_ += got;
  }
  bytes_[end_] = '\0';
  return Status();
}

// ---- CsvRows ----

CsvRows::CsvRows(const CsvLayout& layout, std::string place, const CsvOptions& options, std::uint64_t budget)
    : layout_(layout),
      place_(std::move(place)),
      options_(options),
      budget_(budget),
      fields_(layout.delimiter),
      line_(layout.line) {
  for (const Column& column : layout.columns) {
    const bool numeric = column.kind == ColumnKind::kNumeric;
    switch (column.role) {
      case ColumnRole::kIgnored: cells_.push_back(Cell::kIgnored); break;
      case ColumnRole::kLabel: cells_.push_back(numeric ? Cell::kLabelNumber : Cell::kLabelCategory); break;
      case ColumnRole::kFeature:
        cells_.push_back(numeric ? Cell::kNumber : Cell::kCategory);
        ++width_;
        break;
    }
    categories.push_back(options.schema ? Categories(column.categories) : Categories());
  }
  most_rows_ = most_rows(need(0), budget);
}

MemoryNeed CsvRows::need(std::int64_t rows, bool about) const {
  return {.rows = rows, .columns = width(), .row_bytes = layout_.label == kNoColumn ? 0 : kLabelBytes, .about = about};
}

Status CsvRows::read(CsvBuffer& buffer) {
  WEFT_RETURN_IF_ERROR(read_rows(buffer));
  return values_.join(values) && labels_.join(labels) ? Status() : no_memory();
}

Status CsvRows::no_memory() const {
  return Status(StatusCode::kResourceExhausted,
                fmt::format("{}: no memory for {} rows x {} columns x 4 bytes", place_, rows_ + 1, width_));
}

Status CsvRows::read_rows(CsvBuffer& buffer) {
  for (;;) {
    const char* at = buffer.begin();
    while (at < buffer.end()) {
      WEFT_RETURN_IF_ERROR(grow());
      const char* row = at;
      drop_ = false;
      unknown_ = Status();
      row_lines_ = 1;
      const RowEnd stop = read_row(at, buffer.end(), buffer.whole());
      if (stop == RowEnd::kBad) return status_;
      if (stop == RowEnd::kMore) {
        at = row;
        break;
      }
    }
    if (buffer.whole() && at == buffer.end()) return Status();
    const bool stuck = at == buffer.begin() && static_cast<std::size_t>(buffer.end() - at) == buffer.capacity();
    if (stuck && buffer.capacity() >= kLargestRow) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("{}:{}: a row of more than {} MiB, wanted less; is a quote open?", place_, line_,
                                kLargestRow >> 20));
    }
    buffer.drop_to(at);
    auto filled = buffer.fill(stuck ? 2 * buffer.capacity() : 0);
    if (!filled.ok()) return Status(filled.code(), fmt::format("{}: {}", place_, filled.message()));
  }
}

Status CsvRows::grow() {
  if (rows_ >= most_rows_) return check_memory(place_, need(rows_ + 1), budget_);
  row_ = values_.room(width_);
  return row_ != nullptr && labels_.room(1) != nullptr ? Status() : no_memory();
}

CsvRows::RowEnd CsvRows::read_row(const char*& at, const char* end, bool whole) {
  if (*at == '\n' || *at == '\r') return read_blank(at, end, whole);
  if (blank_line_ > 0) {
    status_ = Status(StatusCode::kDataLoss, fmt::format("{}:{}: an empty line, wanted a row", place_, blank_line_));
    return RowEnd::kBad;
  }
  const std::size_t columns = cells_.size();
  float* to = row_;
  float unused = 0.0f;
  for (std::size_t c = 0; c < columns; ++c) {
    const bool feature = cells_[c] == Cell::kNumber || cells_[c] == Cell::kCategory;
    if (cells_[c] == Cell::kNumber) {
      const char* p = read_short_number(at, *to);
      if (p != nullptr && *p == layout_.delimiter && c + 1 < columns) {
        at = p + 1;
        ++to;
        continue;
      }
    }
    std::string_view text;
    const FieldEnd stop = fields_.next(at, end, whole, text);
    if (stop == FieldEnd::kMore) return RowEnd::kMore;
    if (stop == FieldEnd::kBad) {
      complain(c, fields_.complaint(), StatusCode::kDataLoss);
      return RowEnd::kBad;
    }
    row_lines_ += fields_.inner_lines();
    const bool ended = stop == FieldEnd::kRow;
    const bool taken = take(c, text, feature ? *to : unused);
    if (!taken || ended != (c + 1 == columns)) return faulty(c + 1, ended, at, end, whole);
    if (feature) ++to;
  }
  return keep_row();
}

// Blank lines may stand at the end of the file alone.
CsvRows::RowEnd CsvRows::read_blank(const char*& at, const char* end, bool whole) {
  if (*at == '\r') {
    if (at + 1 == end && !whole) return RowEnd::kMore;
    if (at + 1 == end || at[1] != '\n') {
      complain(0, "a carriage return alone, wanted lines that end in LF or CR LF", StatusCode::kDataLoss);
      return RowEnd::kBad;
    }
    ++at;
  }
  ++at;
  if (blank_line_ == 0) blank_line_ = line_;
  ++line_;
  return RowEnd::kRow;
}

// A row with a field that could not be taken, or with too few or too many of them. The count comes first: a field of a
// ragged row stands in the wrong column.
CsvRows::RowEnd CsvRows::faulty(std::size_t fields, bool ended, const char* at, const char* end, bool whole) {
  while (!ended) {
    std::string_view text;
    const FieldEnd stop = fields_.next(at, end, whole, text);
    if (stop == FieldEnd::kMore) {
      status_ = Status();
      return RowEnd::kMore;
    }
    if (stop == FieldEnd::kBad) return RowEnd::kBad;
    ended = stop == FieldEnd::kRow;
    ++fields;
  }
  if (fields != cells_.size()) {
    const bool doubled = fields > cells_.size() && layout_.delimiter == ',';
    status_ = Status(StatusCode::kDataLoss,
                     fmt::format("{}:{}: {} field{}, wanted {} as in {}{}", place_, line_, fields,
                                 fields == 1 ? "" : "s", cells_.size(), layout_.header ? "the header" : "the first row",
                                 doubled ? "; decimal commas, or a comma outside quotes?" : ""));
  }
  return RowEnd::kBad;
}

CsvRows::RowEnd CsvRows::keep_row() {
  line_ += row_lines_;
  if (row_lines_ > 1 || drop_) even_ = false;
  if (drop_) {
    ++dropped_;
    return RowEnd::kRow;
  }
  if (!unknown_.ok()) {
    status_ = unknown_;
    return RowEnd::kBad;
  }
  values_.keep(width_);
  if (layout_.label != kNoColumn) {
    *labels_.room(1) = label_;
    labels_.keep(1);
  }
  ++rows_;
  return RowEnd::kRow;
}

bool CsvRows::complain(std::size_t column, std::string_view message, StatusCode code) {
  status_ = Status(code, fmt::format("{}:{}: {}: {}", place_, line_,
                                     column_label(layout_.columns, column, layout_.header), message));
  return false;
}

// A name that the schema lacks. Where rows are dropped it may be in one of those: the schema never saw it.
bool CsvRows::unknown(std::size_t column, std::string_view message) {
  const bool taken = complain(column, message);
  if (options_.missing != Missing::kDropRow) return taken;
  unknown_ = std::exchange(status_, Status());
  return true;
}

// A name that was not seen before. What is not UTF-8 could not be kept; in a row that is dropped it is not.
bool CsvRows::fresh(std::size_t column, std::string_view name) {
  return is_utf8(name) || unknown(column, not_utf8(name));
}

bool CsvRows::take(std::size_t column, std::string_view text, float& to) {
  if (cells_[column] == Cell::kIgnored) return true;
  if (is_missing(text, options_)) return take_missing(column, to);
  switch (cells_[column]) {
    case Cell::kIgnored: return true;
    case Cell::kCategory: return take_category(column, text, to);
    case Cell::kLabelNumber: return take_label(column, text);
    case Cell::kLabelCategory: return take_label_category(column, text);
    case Cell::kNumber: break;
  }
  const NumberFault fault = parse_number(text, to);
  if (fault == NumberFault::kNone) return true;
  const bool header = layout_.header && text == layout_.columns[column].name;
  return complain(column, number_complaint(text, fault) + (header ? "; the line repeats the header" : ""));
}

bool CsvRows::take_missing(std::size_t column, float& to) {
  const bool label = column == layout_.label;
  if (options_.missing == Missing::kDropRow) {
    drop_ = true;
    to = 0.0f;
    return true;
  }
  if (options_.missing == Missing::kMean && !label) {
    to = std::numeric_limits<float>::quiet_NaN();
    return true;
  }
  return complain(column, fmt::format("missing, wanted a {}; the missing option can drop such rows{}",
                                      label                                                  ? "label"
                                      : layout_.columns[column].kind == ColumnKind::kNumeric ? "number"
                                                                                             : "category",
                                      label ? "" : " or put the mean of the column there"));
}

bool CsvRows::take_category(std::size_t column, std::string_view text, float& to) {
  const std::size_t seen = categories[column].names().size();
  const auto number = categories[column].number(text, kMostClasses);
  if (number >= 0) {
    to = static_cast<float>(number);
    return categories[column].names().size() == seen || fresh(column, text);
  }
  if (options_.schema) {
    return unknown(column, fmt::format("{}, wanted one of the {} categories of the data trained on", quote(text),
                                       categories[column].names().size()));
  }
  return complain(column, fmt::format("{} is category {}, wanted at most {}: a number, or a column to ignore?",
                                      quote(text), kMostClasses + 1, kMostClasses));
}

bool CsvRows::take_label(std::size_t column, std::string_view text) {
  const NumberFault fault = parse_number(text, label_);
  if (fault != NumberFault::kNone) {
    const bool header = layout_.header && text == layout_.columns[column].name;
    return complain(column, number_complaint(text, fault) + (header ? "; the line repeats the header" : ""));
  }
  if (options_.task == Task::kRegression) {
    if (std::fabs(label_) <= static_cast<double>(std::numeric_limits<float>::max())) return true;
    return complain(column, number_complaint(text, NumberFault::kTooLarge));
  }
  if (std::string wrong = label_fault(label_, options_.classes); !wrong.empty()) {
    return complain(column, fmt::format("{}, {}", quote(text), wrong));
  }
  if (!options_.schema) return true;
  return take_label_category(column, fmt::to_string(static_cast<std::int64_t>(label_)));
}

bool CsvRows::take_label_category(std::size_t column, std::string_view text) {
  const std::int64_t most = options_.classes > 0 ? options_.classes : kMostClasses;
  const std::size_t seen = categories[column].names().size();
  const auto number = categories[column].number(text, most);
  label_ = static_cast<double>(number);
  if (number >= 0) return categories[column].names().size() == seen || fresh(column, text);
  if (options_.schema) {
    return unknown(column, fmt::format("{}, wanted one of the classes of the data trained on: {}", quote(text),
                                       some_of(categories[column].names())));
  }
  return complain(column, fmt::format("{} is class {}, wanted at most {}", quote(text), most + 1, most));
}

}  // namespace weft::data
