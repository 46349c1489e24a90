// std::from_chars, or the C library with the "C" locale where the standard library lacks it for floating point.
#include "src/data/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#endif

#include "src/core/names.h"

namespace weft::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the text has the form of a finite decimal number, which both parsers then take in the same way.
bool is_decimal(std::string_view text) {
  std::size_t i = 0, digits = 0;
  const auto run = [&] {
    for (; i < text.size() && is_digit(text[i]); ++i) ++digits;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  run();
  if (i < text.size() && text[i] == '.') ++i, run();
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    digits = 0;
    run();
    if (digits == 0) return false;
  }
  return i == text.size();
}

bool is_not_finite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string lower = lower_case(text);
  return lower == "nan" || lower == "inf" || lower == "infinity" || lower.starts_with("nan(");
}

#if defined(__cpp_lib_to_chars)
// The standard says nothing of the value where the result is out of range: here 0 for the small, infinite for the
// large.
double decimal(std::string_view text) {
  double number = 0.0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) return number;
  // The power of ten of the first digit that counts says which way it is out of range.
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const auto point = static_cast<long long>(std::min(text.find('.'), e));
  const auto first = static_cast<long long>(std::min(text.find_first_of("123456789"), e));
  long long exponent = 0;
  if (e < text.size()) {
    const char* digits = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
    const bool down = *digits == '-';
    if (std::from_chars(digits, text.data() + text.size(), exponent).ec != std::errc()) {
      exponent = down ? INT32_MIN : INT32_MAX;
    }
  }
  return point - first + exponent < 0 ? 0.0 : std::numeric_limits<double>::infinity();
}

float decimal_float(std::string_view text) {
  float number = 0.0f;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() ? number : static_cast<float>(decimal(text));
}
#else
locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}
double decimal(std::string_view text) { return strtod_l(std::string(text).c_str(), nullptr, c_locale()); }
float decimal_float(std::string_view text) { return strtof_l(std::string(text).c_str(), nullptr, c_locale()); }
#endif

template <typename T, typename Parse>
NumberFault parse_as(std::string_view text, T& number, Parse parse) {
  if (!is_decimal(text)) return is_not_finite(text) ? NumberFault::kNotFinite : NumberFault::kNotNumber;
  if (text.front() == '+') text.remove_prefix(1);
  number = parse(text);
  return std::isfinite(number) ? NumberFault::kNone : NumberFault::kTooLarge;
}

}  // namespace

NumberFault parse_number(std::string_view text, float& number) { return parse_as(text, number, decimal_float); }
NumberFault parse_number(std::string_view text, double& number) { return parse_as(text, number, decimal); }

bool is_joined_number(std::string_view text) {
  bool digit = false, joint = false;
  for (const char c : text) {
    const bool joins = c == ',' || c == ';' || c == '\t' || c == ' ';
    if (!is_digit(c) && !joins && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') return false;
    digit = digit || is_digit(c);
    joint = joint || joins;
  }
  return digit && joint;
}

std::string number_complaint(std::string_view text, NumberFault fault) {
  switch (fault) {
    case NumberFault::kNone: return {};
    case NumberFault::kNotFinite: return fmt::format("{}, wanted a finite number", quote(text));
    case NumberFault::kTooLarge: return fmt::format("{}, wanted a number of size at most 3.4e38", quote(text));
    case NumberFault::kNotNumber: break;
  }
  std::string hint;
  if (is_joined_number(text)) {
    const char joint = text[text.find_first_of(",;\t ")];
    if (joint == ',') {
      std::string written(text);
      if (text.find(',') == text.rfind(',') && text.find('.') == std::string_view::npos) {
        written[written.find(',')] = '.';
        hint = fmt::format("; decimal commas are not read: write {}", written);
      } else {
        hint = "; commas inside numbers are not read";
      }
    } else {
      hint = fmt::format("; is the delimiter {}?", joint == ';' ? "a semicolon" : joint == '\t' ? "a tab" : "a blank");
    }
  }
  return fmt::format("{}, wanted a number{}", quote(text), hint);
}

}  // namespace weft::data
