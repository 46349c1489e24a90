// Widths: the layer sizes of --model, "64-32-10"; "256x5" is 256 five times.
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

/// "784-256x4-10"; three equal ones or fewer are written out.
std::string to_string(const Widths& widths);

/// Errors: kInvalidArgument unless there are two or more whole numbers from 1 to 2^31 - 1, and 65536 of them at most.
Result<Widths> parse_widths(std::string_view text);

}  // namespace weft::cli
