// CsvFields: cuts rows of CSV text into fields, with quotes (RFC 4180) and either line end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::data {

enum class FieldEnd : std::uint8_t {
  kDelimiter,  // another field of the row follows
  kRow,        // a line end or the end of the text
  kMore,       // the text ended within the field, and is not all there is
  kBad,        // see complaint()
};

/// Reads fields one by one. The byte at `end` must be readable and '\0'.
class CsvFields {
 public:
  explicit CsvFields(char delimiter) : delimiter_(delimiter) {}

  /// The field at `at`, which moves behind it. `whole`: nothing follows the text. Blanks around unquoted text are no
  /// part of it. `text` is valid until the next call.
  FieldEnd next(const char*& at, const char* end, bool whole, std::string_view& text);

  /// Lines that ended within quotes of the last field.
  std::int64_t inner_lines() const { return inner_lines_; }
  const std::string& complaint() const { return complaint_; }

 private:
  FieldEnd quoted(const char*& at, const char* end, bool whole, std::string_view& text);
  FieldEnd finish(const char*& at, const char* p, const char* end, bool whole);
  FieldEnd bad(std::string complaint);

  char delimiter_;
  std::int64_t inner_lines_ = 0;
  std::string unescaped_, complaint_;
};

}  // namespace weft::data
