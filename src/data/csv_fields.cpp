// Fields of CSV text.
#include "src/data/csv_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/core/names.h"

namespace weft::data {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

FieldEnd CsvFields::bad(std::string complaint) {
  complaint_ = std::move(complaint);
  return FieldEnd::kBad;
}

// What ends a field at p.
FieldEnd CsvFields::finish(const char*& at, const char* p, const char* end, bool whole) {
  if (p == end) {
    if (!whole) return FieldEnd::kMore;
    at = p;
    return FieldEnd::kRow;
  }
  if (*p == delimiter_) {
    at = p + 1;
    return FieldEnd::kDelimiter;
  }
  if (*p == '\r') {
    if (p + 1 == end && !whole) return FieldEnd::kMore;
    if (p + 1 == end || p[1] != '\n') return bad("a carriage return alone, wanted lines that end in LF or CR LF");
    ++p;
  }
  at = p + 1;  // behind the line feed
  return FieldEnd::kRow;
}

FieldEnd CsvFields::next(const char*& at, const char* end, bool whole, std::string_view& text) {
  inner_lines_ = 0;
  const char* p = at;
  while (p < end && is_blank(*p) && *p != delimiter_) ++p;
  if (p < end && *p == '"') {
    at = p + 1;
    return quoted(at, end, whole, text);
  }
  const char* start = p;
  while (p < end && *p != delimiter_ && *p != '\n' && *p != '\r') {
    if (*p == '"') return bad("a quote inside unquoted text, wanted the whole field in quotes and its quotes doubled");
    if (*p == '\0') return bad("a zero byte, wanted text (UTF-8)");
    ++p;
  }
  const char* stop = p;
  while (stop > start && is_blank(stop[-1])) --stop;
  text = {start, static_cast<std::size_t>(stop - start)};
  return finish(at, p, end, whole);
}

FieldEnd CsvFields::quoted(const char*& at, const char* end, bool whole, std::string_view& text) {
  const char* start = at;
  const char* p = start;
  bool escaped = false;
  for (;;) {
    p = std::find(p, end, '"');
    if (p + 1 >= end) {
      if (!whole) return FieldEnd::kMore;
      if (p == end) return bad("a quote that opens and does not close, wanted a closing one");
      break;
    }
    if (p[1] != '"') break;
    escaped = true;
    p += 2;
  }
  text = {start, static_cast<std::size_t>(p - start)};
  inner_lines_ = std::count(start, p, '\n');
  if (std::find(start, p, '\0') != p) return bad("a zero byte, wanted text (UTF-8)");
  if (escaped) {
    unescaped_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      unescaped_ += text[i];
      if (text[i] == '"') ++i;
    }
    text = unescaped_;
  }
  ++p;
  while (p < end && is_blank(*p) && *p != delimiter_) ++p;
  if (p < end && *p != delimiter_ && *p != '\n' && *p != '\r') {
    const char* stop = std::find_if(p, end, [&](char c) { return c == delimiter_ || c == '\n' || c == '\r'; });
    return bad(fmt::format("{} behind a closing quote, wanted the next field or row",
                           quote({p, static_cast<std::size_t>(stop - p)})));
  }
  return finish(at, p, end, whole);
}

}  // namespace weft::data
