// Header, kinds and roles of the columns from the first rows, or from a schema.
#include "src/data/csv_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/csv_sample.h"
#include "src/data/number.h"

namespace weft::data {
namespace {

using Rows = std::span<const CsvSampleRow>;

constexpr std::size_t kSampleRows = 100;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Finite or not: what stands where a number belongs.
bool is_number(std::string_view text) {
  double number = 0.0;
  return parse_number(text, number) != NumberFault::kNotNumber;
}

class LayoutReader {
 public:
  LayoutReader(std::string place, const CsvOptions& options) : place_(std::move(place)), options_(options) {}

  Result<CsvLayout> read(std::string_view sample, bool whole) {
    WEFT_ASSIGN_OR_RETURN(layout_.delimiter, find_csv_delimiter(sample, whole, options_.delimiter, place_));
    WEFT_ASSIGN_OR_RETURN(const auto all, cut_csv_sample(sample, whole, layout_.delimiter, kSampleRows + 2, place_));
    if (all.empty()) return lost("", whole ? "no rows, wanted at least one" : "no end of a row in its first part");
    if (all.front().line != 1) return lost(":1", "an empty line, wanted a header or a row");
    Rows rows(all);
    if (options_.schema) {
      WEFT_RETURN_IF_ERROR(follow_schema(rows));
    } else {
      WEFT_RETURN_IF_ERROR(discover(rows));
    }
    const std::size_t before = all.size() - rows.size();
    if (rows.empty()) return lost("", "a header and no rows, wanted at least one row");
    layout_.body = rows.front().begin;
    layout_.line = rows.front().line;
    if (before > 0 && all[before - 1].end != rows.front().begin) {
      return lost(fmt::format(":{}", rows.front().line - 1), "an empty line, wanted a row");
    }
    layout_.row_bytes =
        std::max<std::int64_t>(1, static_cast<std::int64_t>((rows.back().end - rows.front().begin) / rows.size()));
    return std::move(layout_);
  }

 private:
  Status lost(std::string_view where, std::string_view what) const {
    return Status(StatusCode::kDataLoss, fmt::format("{}{}: {}", place_, where, what));
  }
  Status wrong(std::string_view where, std::string_view what) const {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}{}: {}", place_, where, what));
  }
  std::string at(const CsvSampleRow& row, std::size_t column) const {
    return fmt::format(":{}: {}", row.line, column_label(layout_.columns, column, layout_.header));
  }

  Status discover(Rows& rows) {
    take_scikit_line(rows);
    const bool sure = layout_.promised_rows >= 0 || options_.header != Header::kDetect;
    if (options_.header == Header::kPresent) {
      WEFT_RETURN_IF_ERROR(take_header(rows));
    } else if (!sure) {
      WEFT_ASSIGN_OR_RETURN(const bool header, looks_like_header(rows));
      if (header) {
        layout_.notes.push_back("line 1 was read as the header");
        WEFT_RETURN_IF_ERROR(take_header(rows));
      }
    }
    if (!layout_.header && !rows.empty()) name_columns(rows.front().fields.size());
    WEFT_RETURN_IF_ERROR(assign_roles());
    return find_kinds(rows);
  }

  // scikit-learn's files begin with: rows, features, then the names of the classes or their number.
  void take_scikit_line(Rows& rows) {
    if (options_.header != Header::kDetect || rows.size() < 2 || rows[0].fields.size() < 3) return;
    const auto& fields = rows[0].fields;
    const auto count = whole_number(fields[0]), features = whole_number(fields[1]);
    const auto columns = static_cast<std::int64_t>(rows[1].fields.size());
    if (!count || *count < 1 || !features || *features + 1 != columns) return;
    const auto names = std::span(fields).subspan(2);
    const bool text = std::none_of(names.begin(), names.end(),
                                   [&](const auto& name) { return is_number(name) || is_missing(name, options_); });
    const bool number = names.size() == 1 && whole_number(names[0]) && fields.size() != rows[1].fields.size();
    if (!text && !number) return;
    if (fields.size() == rows[1].fields.size()) {  // a row of two numbers and texts looks alike, and has texts below
      bool above = false;
      for (std::size_t i = 2; i < fields.size(); ++i) above = above || is_number(rows[1].fields[i]);
      if (!above) return;
    }
    layout_.promised_rows = *count;
    if (text) layout_.promised_names.assign(names.begin(), names.end());
    layout_.notes.push_back(
        fmt::format("line 1 was read as scikit-learn's: {} rows, {} features, {}", *count, *features,
                    text ? fmt::format("classes {}", fmt::join(names, ", ")) : fmt::format("{} classes", names[0])));
    rows = rows.subspan(1);
  }

  Status take_header(Rows& rows) {
    const auto& names = rows.front().fields;
    layout_.header = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto twin = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]);
      if (twin != names.begin() + static_cast<std::ptrdiff_t>(i) && !names[i].empty()) {
        return wrong(":1", fmt::format("the header names columns {} and {} both {}, wanted different names",
                                       twin - names.begin(), i, quote(names[i])));
      }
      Column column;
      column.name = names[i];
      layout_.columns.push_back(std::move(column));
    }
    rows = rows.subspan(1);
    return Status();
  }

  void name_columns(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Column column;
      column.name = fmt::format("column {}", i);
      layout_.columns.push_back(std::move(column));
    }
  }

  // Text above a column that holds only numbers is its name.
  Result<bool> looks_like_header(Rows rows) const {
    const auto& first = rows[0].fields;
    const bool no_number = std::none_of(first.begin(), first.end(), [](const auto& f) { return is_number(f); });
    std::size_t texts = 0, numbers = 0, numeric = 0;
    for (std::size_t c = 0; c < first.size(); ++c) {
      bool any_number = false, any_text = false;
      for (const auto& row : rows.subspan(1)) {
        if (c >= row.fields.size() || is_missing(row.fields[c], options_)) continue;
        if (no_number && row.fields == first) continue;  // a header that is repeated, told of later
        const bool number = is_number(row.fields[c]) || is_joined_number(row.fields[c]);
        any_number = any_number || number;
        any_text = any_text || !number;
      }
      if (!any_number || any_text) continue;
      ++numeric;
      if (is_missing(first[c], options_) || is_joined_number(first[c])) continue;
      ++(is_number(first[c]) ? numbers : texts);
    }
    const bool all_first = std::all_of(first.begin(), first.end(), [&](const auto& f) { return is_number(f); });
    if (numeric == 0 && !all_first) {
      return wrong(":1", rows.size() == 1 ? "one line, which may be a header or a row; the header option decides"
                                          : "no column holds numbers alone, so that this line may be a header or a "
                                            "row; the header option decides");
    }
    if (texts > 0 && numbers > 0) {
      return wrong(":1",
                   fmt::format("{} numbers and {} texts above columns of numbers: a header, or a damaged row? The "
                               "header option decides",
                               numbers, texts));
    }
    return texts > 0;
  }

  Result<std::size_t> find_column(std::string_view option, const std::string& name) const {
    if (layout_.header) {
      for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
        if (layout_.columns[i].name == name) return i;
      }
    }
    const auto index = whole_number(name);
    if (index && *index >= 0 && *index < static_cast<std::int64_t>(layout_.columns.size())) {
      return static_cast<std::size_t>(*index);
    }
    const std::string place = fmt::format("{}: {}", place_, option);
    if (index || !layout_.header) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("{}: {}, wanted {}an index from 0 to {}", place, quote(name),
                      layout_.header ? "a column's name or " : "(there is no header) ", layout_.columns.size() - 1));
    }
    std::vector<KnownName> known;
    for (const Column& column : layout_.columns) known.push_back({column.name, column.name});
    return unknown_name(place, name, known);
  }

  Status assign_roles() {
    for (const std::string& name : options_.ignore) {
      WEFT_ASSIGN_OR_RETURN(const std::size_t index, find_column("ignore", name));
      layout_.columns[index].role = ColumnRole::kIgnored;
    }
    for (const std::string& name : options_.categorical) {
      WEFT_ASSIGN_OR_RETURN(const std::size_t index, find_column("categorical", name));
      layout_.columns[index].kind = ColumnKind::kCategorical;
    }
    WEFT_RETURN_IF_ERROR(assign_label());
    std::size_t features = 0;
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      const Column& column = layout_.columns[i];
      if (column.role == ColumnRole::kFeature) ++features;
      if (column.name.empty() && column.role == ColumnRole::kFeature) {
        return wrong(":1", fmt::format("the header leaves column {} without a name, wanted one (where it numbers the "
                                       "rows, ignore {})",
                                       i, i));
      }
    }
    if (features == 0) {
      return wrong("", fmt::format("{} column{}, wanted a feature beside the label; with {} as delimiter",
                                   layout_.columns.size(), layout_.columns.size() == 1 ? "" : "s",
                                   delimiter_name(layout_.delimiter)));
    }
    return Status();
  }

  Status assign_label() {
    if (options_.label.empty()) return Status();
    const auto named_last = [](const Column& column) { return column.name == "last"; };
    const auto& columns = layout_.columns;
    if (options_.label == "last" && std::none_of(columns.begin(), columns.end(), named_last)) {
      layout_.label = columns.size() - 1;
    } else {
      WEFT_ASSIGN_OR_RETURN(layout_.label, find_column("label", options_.label));
    }
    Column& label = layout_.columns[layout_.label];
    if (label.role == ColumnRole::kIgnored) {
      return wrong("", fmt::format("{} is the label, and is to be ignored",
                                   column_label(columns, layout_.label, layout_.header)));
    }
    label.role = ColumnRole::kLabel;
    if (options_.task == Task::kRegression && label.kind == ColumnKind::kCategorical) {
      return wrong("", "the label of a regression is categorical, wanted numbers");
    }
    return Status();
  }

  Status find_kinds(Rows rows) {
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      Column& column = layout_.columns[c];
      if (column.role == ColumnRole::kIgnored || column.kind == ColumnKind::kCategorical) continue;
      const CsvSampleRow *number = nullptr, *text = nullptr;
      for (const CsvSampleRow& row : rows) {
        if (c >= row.fields.size() || is_missing(row.fields[c], options_)) continue;
        const std::string& field = row.fields[c];
        if (is_joined_number(field)) {
          return wrong(at(row, c), number_complaint(field, NumberFault::kNotNumber));
        }
        const CsvSampleRow*& kind = is_number(field) ? number : text;
        if (kind == nullptr) kind = &row;
      }
      if (number != nullptr && text != nullptr) return mixed(c, *number, *text);
      if (text != nullptr) column.kind = ColumnKind::kCategorical;
      if (text != nullptr && column.role == ColumnRole::kLabel && options_.task == Task::kRegression) {
        return wrong(at(*text, c), fmt::format("{}, wanted a number to learn (a regression)", quote(text->fields[c])));
      }
    }
    return Status();
  }

  Status mixed(std::size_t c, const CsvSampleRow& number, const CsvSampleRow& text) const {
    const std::string& seen = text.fields[c];
    std::string hint = fmt::format("; {} as missing_text, or the column as categorical, would explain it", quote(seen));
    if (layout_.header && seen == layout_.columns[c].name) hint = "; the line repeats the header";
    if (!layout_.header && text.line == 1) hint = "; line 1 looks like a header";
    return wrong(at(text, c), fmt::format("{}, wanted a number as in line {}, {}{}", quote(seen), number.line,
                                          quote(number.fields[c]), hint));
  }

  Status follow_schema(Rows& rows) {
    const Schema& schema = *options_.schema;
    if (!schema.header) take_scikit_line(rows);
    layout_.header = options_.header == Header::kDetect ? schema.header : options_.header == Header::kPresent;
    const auto& first = rows.front().fields;
    const auto role = [](const Column& column) { return column.role == ColumnRole::kLabel; };
    const bool has_label = std::any_of(schema.columns.begin(), schema.columns.end(), role);
    const std::size_t wanted = schema.columns.size();
    const bool without = has_label && first.size() + 1 == wanted;
    if (first.size() != wanted && !without) {
      return wrong(":1", fmt::format("{} fields, wanted {}{}: the columns that were trained on", first.size(), wanted,
                                     has_label ? fmt::format(" (or {} without the label)", wanted - 1) : ""));
    }
    for (const Column& column : schema.columns) {
      if (role(column) && without) continue;
      if (role(column)) layout_.label = layout_.columns.size();
      const std::size_t i = layout_.columns.size();
      if (layout_.header && schema.header && first[i] != column.name) {
        return wrong(":1", fmt::format("column {} is {}, wanted {} as in the data trained on", i, quote(first[i]),
                                       quote(column.name)));
      }
      layout_.columns.push_back(column);
    }
    if (layout_.header) rows = rows.subspan(1);
    return Status();
  }

  std::string place_;
  const CsvOptions& options_;
  CsvLayout layout_;
};

}  // namespace

std::string not_utf8(std::string_view name) {
  return fmt::format("{} is not UTF-8, wanted UTF-8 text (iconv -f latin1 -t utf8 turns Latin-1 into it)", quote(name));
}

std::string column_label(const std::vector<Column>& columns, std::size_t index, bool header) {
  if (!header || index >= columns.size()) return fmt::format("column {}", index);
  return fmt::format("column {} {}", index, quote(columns[index].name));
}

Result<CsvLayout> read_csv_layout(std::string_view sample, bool whole, const std::string& place,
                                  const CsvOptions& options) {
  return LayoutReader(place, options).read(sample, whole);
}

}  // namespace weft::data
