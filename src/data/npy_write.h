// Writing .npy files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "weft/status.hpp"

namespace weft::data {

/// Writes [shape] of float32, row-major, as .npy version 1.0: written to a temporary, synced, renamed.
/// Errors: kNotFound, kIo; kInvalidArgument where the shape does not hold the numbers.
Status write_npy(const std::filesystem::path& file, std::span<const float> values, std::span<const std::int64_t> shape);

}  // namespace weft::data
