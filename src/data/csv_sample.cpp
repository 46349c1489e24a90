// The first rows, and their delimiter.
#include "src/data/csv_sample.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/csv_fields.h"
#include "src/data/number.h"

namespace weft::data {
namespace {

constexpr char kDelimiters[] = {',', ';', '\t'};
constexpr std::size_t kRowsForDelimiter = 20;

struct Fit {
  std::size_t columns = 1;  // of the rows below the first one
  bool even = true;         // all of them have as many
  bool joined = false;      // a field holds numbers that another delimiter would part
};

Fit fit_of(const std::vector<CsvSampleRow>& rows) {
  Fit fit;
  if (rows.empty()) return fit;
  const std::size_t first = rows.size() > 1 ? 1 : 0;
  fit.columns = rows[first].fields.size();
  for (std::size_t i = first; i < rows.size(); ++i) {
    fit.even = fit.even && rows[i].fields.size() == fit.columns;
    for (const std::string& field : rows[i].fields) {
      fit.joined = fit.joined || (field.find_first_of(";\t") != std::string::npos && is_joined_number(field));
    }
  }
  return fit;
}

}  // namespace

std::string delimiter_name(char delimiter) {
  switch (delimiter) {
    case ',': return "a comma";
    case ';': return "a semicolon";
    case '\t': return "a tab";
    default: return quote(std::string_view(&delimiter, 1));
  }
}

Result<std::vector<CsvSampleRow>> cut_csv_sample(std::string_view text, bool whole, char delimiter, std::size_t most,
                                                 const std::string& place) {
  CsvFields fields(delimiter);
  std::vector<CsvSampleRow> rows;
  const char* at = text.data();
  const char* end = at + text.size();
  std::int64_t line = 1;
  while (at < end && rows.size() < most) {
    CsvSampleRow row;
    row.begin = static_cast<std::size_t>(at - text.data());
    row.line = line;
    FieldEnd stop = FieldEnd::kDelimiter;
    while (stop == FieldEnd::kDelimiter) {
      std::string_view field;
      stop = fields.next(at, end, whole, field);
      if (stop == FieldEnd::kMore) return rows;
      if (stop == FieldEnd::kBad) {
        return Status(StatusCode::kDataLoss,
                      fmt::format("{}:{}: column {}: {}", place, line, row.fields.size(), fields.complaint()));
      }
      line += fields.inner_lines();
      row.fields.emplace_back(field);
    }
    ++line;
    row.end = static_cast<std::size_t>(at - text.data());
    if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

Result<char> find_csv_delimiter(std::string_view text, bool whole, char given, const std::string& place) {
  char best = '\0';
  Fit best_fit;
  Status fault;
  for (const char candidate : kDelimiters) {
    const auto rows = cut_csv_sample(text, whole, candidate, kRowsForDelimiter, place);
    if (!rows.ok()) {
      if (fault.ok()) fault = rows.status();
      continue;
    }
    const Fit fit = fit_of(*rows);
    const auto rank = [](const Fit& f) { return std::tuple(f.columns > 1, !f.joined, f.even, f.columns); };
    if (best == '\0' || rank(fit) > rank(best_fit)) {
      best = candidate;
      best_fit = fit;
    }
  }
  if (given == '\0') {
    if (best == '\0') return fault;
    return best;
  }
  WEFT_ASSIGN_OR_RETURN(const auto rows, cut_csv_sample(text, whole, given, kRowsForDelimiter, place));
  const Fit fit = fit_of(rows);
  if (fit.columns == 1 && best_fit.columns > 1 && best_fit.even && best != given) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: {} as delimiter leaves one column, wanted more; {} gives {}", place,
                              delimiter_name(given), delimiter_name(best), best_fit.columns));
  }
  return given;
}

}  // namespace weft::data
