// Files that data are read from.
#pragma once

#include <filesystem>

#include "weft/status.hpp"

namespace weft::data {

/// That the file, where it is there, can be opened more than once and from its start: "a pipe, wanted a file".
/// Errors, without a place: kInvalidArgument.
Status check_source_file(const std::filesystem::path& file);

/// The path from the root on, ".." and links left as they are.
std::filesystem::path absolute_path(const std::filesystem::path& file);

/// Whether both lead to one file that is there.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace weft::data
