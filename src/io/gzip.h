// Decompressing gzip.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

/// Whether the bytes start as a gzip file does.
bool is_gzip(std::string_view bytes);

/// All members of a gzip file. Errors: kDataLoss (damaged, truncated, something behind the end, more than
/// `most` bytes), kUnsupported in a build without zlib.
Result<std::string> gunzip(std::string_view bytes, std::uint64_t most);

}  // namespace weft
