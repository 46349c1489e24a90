// Widths: the layer sizes of --model.
#include "cli/widths.h"

#include <charconv>

#include <fmt/format.h>

#include "src/core/names.h"

namespace weft::cli {

std::string to_string(const Widths& widths) { return fmt::format("{}", fmt::join(widths.sizes, "-")); }

Result<Widths> parse_widths(std::string_view text) {
  Widths widths;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    std::int64_t width = 0;
    const auto [stop, error] = std::from_chars(at, end, width);
    if (error != std::errc() || width < 1 || width > INT32_MAX || (stop != end && *stop != '-')) break;
    widths.sizes.push_back(width);
    if (stop != end) {
      at = stop + 1;
      continue;
    }
    if (widths.sizes.size() < 2) break;
    return widths;
  }
  return Status(StatusCode::kInvalidArgument,
                fmt::format("seen {}, wanted two or more widths of 1 to {} such as 64-32-10", quote(text), INT32_MAX));
}

}  // namespace weft::cli
