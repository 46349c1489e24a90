// CsvRows: reads the rows of a CSV file below its header, in one pass over blocks of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/data/blocks.h"
#include "src/data/byte_source.h"
#include "src/data/csv_fields.h"
#include "src/data/csv_layout.h"
#include "src/data/memory.h"

namespace weft::data {

/// Names of categories, numbered as they appear.
class Categories {
 public:
  Categories() = default;
  /// Fixed: no others may appear.
  explicit Categories(const std::vector<std::string>& names);
  /// Its number, -1 where it is not among fixed ones or there would be more than `most`.
  std::int32_t number(std::string_view name, std::int64_t most);
  /// Forgets the names that are not used (those of dropped rows) and sorts the others; element i of the result is the
  /// new number of the old number i.
  std::vector<std::int32_t> sort(const std::vector<bool>& used);
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  bool fixed_ = false;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

/// A window over the bytes of a source: [begin, end) with '\0' behind it.
class CsvBuffer {
 public:
  CsvBuffer(ByteSource& source, std::size_t size) : source_(source), bytes_(size + 1) {}
  const char* begin() const { return bytes_.data() + begin_; }
  const char* end() const { return bytes_.data() + end_; }
  bool whole() const { return whole_; }  // nothing follows
  std::size_t capacity() const { return bytes_.size() - 1; }
  void drop_to(const char* at) { begin_ = static_cast<std::size_t>(at - bytes_.data()); }
  /// Moves what is left to the front, makes room for `size` bytes at least and fills it.
  Status fill(std::size_t size);

 private:
  ByteSource& source_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  bool whole_ = false;
};

class CsvRows {
 public:
  CsvRows(const CsvLayout& layout, std::string place, const CsvOptions& options, std::uint64_t budget);

  /// Reads to the end. The buffer begins with the first row.
  Status read(CsvBuffer& buffer);

  std::int64_t rows() const { return rows_; }
  std::int64_t dropped() const { return dropped_; }
  std::int64_t width() const { return static_cast<std::int64_t>(width_); }
  /// The line of the first row, where each row that follows has one; else 0.
  std::int64_t first_line() const { return even_ ? layout_.line : 0; }
  /// Of so many rows.
  MemoryNeed need(std::int64_t rows, bool about = false) const;

  std::vector<float> values;           // [rows, width]: a number, or a category's number, or NaN where missing
  std::vector<double> labels;          // [rows]: a number, or a category's number
  std::vector<Categories> categories;  // by column of the layout

 private:
  enum class Cell : std::uint8_t { kNumber, kCategory, kLabelNumber, kLabelCategory, kIgnored };
  enum class RowEnd : std::uint8_t { kRow, kMore, kBad };

  RowEnd read_row(const char*& at, const char* end, bool whole);
  RowEnd read_blank(const char*& at, const char* end, bool whole);
  RowEnd faulty(std::size_t fields, bool ended, const char* at, const char* end, bool whole);
  // Each takes a field, or leaves in status_ what is wrong with it and returns false.
  bool take(std::size_t column, std::string_view text, float& to);
  bool take_missing(std::size_t column, float& to);
  bool take_category(std::size_t column, std::string_view text, float& to);
  bool take_label(std::size_t column, std::string_view text);
  bool take_label_category(std::size_t column, std::string_view text);
  bool complain(std::size_t column, std::string_view message, StatusCode code = StatusCode::kInvalidArgument);
  bool unknown(std::size_t column, std::string_view message);
  bool fresh(std::size_t column, std::string_view name);
  RowEnd keep_row();
  Status grow();
  Status read_rows(CsvBuffer& buffer);
  Status no_memory() const;

  const CsvLayout& layout_;
  std::string place_;
  const CsvOptions& options_;
  std::uint64_t budget_;
  CsvFields fields_;
  std::vector<Cell> cells_;
  std::size_t width_ = 0;
  std::int64_t most_rows_ = 0;

  std::int64_t rows_ = 0, dropped_ = 0, line_ = 1, row_lines_ = 0, blank_line_ = 0;
  bool drop_ = false, even_ = true;
  Blocks<float> values_;
  Blocks<double> labels_;
  float* row_ = nullptr;
  double label_ = 0.0;
  Status status_, unknown_;
};

}  // namespace weft::data
