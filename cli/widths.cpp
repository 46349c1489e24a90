// Widths: the layer sizes of --model.
#include "cli/widths.h"

#include <charconv>

#include <fmt/format.h>

#include "src/core/names.h"

namespace weft::cli {

namespace {

constexpr std::size_t kMostWidths = 65536;
constexpr std::size_t kLeastRepeats = 4;  // that are written as such

/// A whole number from 1 to `most` at the start of the text, which is taken off; 0 where there is none.
std::int64_t take_number(std::string_view& text, std::int64_t most) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > most) return 0;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

/// "256" or "256x5".
bool take_widths(std::string_view& text, std::vector<std::int64_t>& sizes) {
  const std::int64_t width = take_number(text, INT32_MAX);
  std::int64_t times = 1;
  if (text.starts_with('x')) {
    text.remove_prefix(1);
    times = take_number(text, kMostWidths);
  }
  if (width < 1 || times < 1 || sizes.size() + static_cast<std::size_t>(times) > kMostWidths) return false;
  sizes.insert(sizes.end(), static_cast<std::size_t>(times), width);
  return true;
}

}  // namespace

std::string to_string(const Widths& widths) {
  std::string text;
  for (std::size_t i = 0; i < widths.sizes.size();) {
    std::size_t end = i + 1;
    while (end < widths.sizes.size() && widths.sizes[end] == widths.sizes[i]) ++end;
    if (end - i < kLeastRepeats) end = i + 1;
    text += fmt::format("{}{}", i == 0 ? "" : "-", widths.sizes[i]);
    if (end - i > 1) text += fmt::format("x{}", end - i);
    i = end;
  }
  return text;
}

Result<Widths> parse_widths(std::string_view text) {
  Widths widths;
  std::string_view rest = text;
  while (take_widths(rest, widths.sizes)) {
    if (rest.empty() && widths.sizes.size() >= 2) return widths;
    if (!rest.starts_with('-')) break;
    rest.remove_prefix(1);
  }
  return Status(StatusCode::kInvalidArgument,
                fmt::format("seen {}, wanted two or more widths of 1 to {} such as 64-32-10, or 64x5 for five of 64",
                            quote(text), INT32_MAX));
}

}  // namespace weft::cli
