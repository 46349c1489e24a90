// The header of NPY files that weft writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::data {

/// What stands before the numbers in an .npy file of version 1.0: magic, version and dictionary, filled with blanks so
/// that the numbers, which follow in C order, start at a multiple of 64 bytes. `descr` is NumPy's name of their type:
/// "<f4", "<i8". At most 100 axes.
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace weft::data
