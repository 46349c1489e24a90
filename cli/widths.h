// Widths: the layer sizes of --model, "64-32-10".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/status.hpp"

namespace weft::cli {

struct Widths {
  std::vector<std::int64_t> sizes;
};

std::string to_string(const Widths& widths);

/// Errors: kInvalidArgument unless there are two or more whole numbers from 1 to 2^31 - 1.
Result<Widths> parse_widths(std::string_view text);

}  // namespace weft::cli
