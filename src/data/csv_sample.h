// CsvSample: the first rows of a CSV file, cut into fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/status.hpp"

namespace weft::data {

struct CsvSampleRow {
  std::size_t begin = 0, end = 0;  // in the text, line end included
  std::int64_t line = 1;
  std::vector<std::string> fields;
};

/// Up to `most` complete rows that are not blank. Errors: kDataLoss, "<place>:<line>: ...".
Result<std::vector<CsvSampleRow>> cut_csv_sample(std::string_view text, bool whole, char delimiter, std::size_t most,
                                                 const std::string& place);

/// The delimiter among comma, semicolon and tab that splits the first rows evenly into the most columns; a given one is
/// checked. Errors: kInvalidArgument where the given one leaves one column and another would give more.
Result<char> find_csv_delimiter(std::string_view text, bool whole, char given, const std::string& place);

/// "a comma"
std::string delimiter_name(char delimiter);

}  // namespace weft::data
