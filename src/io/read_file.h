// Reading whole files, plain or compressed with gzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "weft/status.hpp"

namespace weft {

/// The most that a text file may hold, compressed or not.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;

/// The bytes of a file. Errors: kNotFound, kIo (also for a folder, a pipe or a device), kDataLoss where it
/// holds more than `most` bytes.
Result<std::string> read_file(const std::filesystem::path& file, std::uint64_t most = kMaxTextBytes);

/// As read_file; a file that starts as gzip is decompressed (all members).
/// Errors also: kDataLoss where it is damaged or truncated, kUnsupported in a build without zlib.
Result<std::string> read_maybe_gzip(const std::filesystem::path& file, std::uint64_t most = kMaxTextBytes);

}  // namespace weft
