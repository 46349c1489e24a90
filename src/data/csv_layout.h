// CsvLayout: what the first lines of a CSV file tell of the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data.hpp"

namespace weft::data {

inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

struct CsvLayout {
  char delimiter = ',';
  bool header = false;
  std::size_t body = 0;         // where the first row begins in the sample
  std::int64_t line = 1;        // and its line
  std::vector<Column> columns;  // without categories, but for those of a schema
  std::size_t label = kNoColumn;
  std::int64_t promised_rows = -1;          // of a first line of scikit-learn's form
  std::vector<std::string> promised_names;  // its class names
  std::int64_t row_bytes = 1;               // mean over the sample
  std::vector<std::string> notes;
};

/// Reads the start of a file (`whole`: all of it), without its BOM; the byte behind it is '\0'.
/// Errors: kInvalidArgument and kDataLoss, "csv: <place>:<line>: ...".
Result<CsvLayout> read_csv_layout(std::string_view sample, bool whole, const std::string& place,
                                  const CsvOptions& options);

/// "column 3" or "column 3 'age'".
std::string column_label(const std::vector<Column>& columns, std::size_t index, bool header);

/// Names are kept with a model, as JSON, which is UTF-8: what is wrong with one that is not.
std::string not_utf8(std::string_view name);

/// Whether a field stands for a missing value.
inline bool is_missing(std::string_view text, const CsvOptions& options) {
  return text.empty() || (!options.missing_text.empty() && text == options.missing_text);
}

}  // namespace weft::data
