// Files that data are read from.
#pragma once

#include <filesystem>

namespace weft::data {

/// The path from the root on, ".." and links left as they are.
std::filesystem::path absolute_path(const std::filesystem::path& file);

/// Whether both lead to one file that is there.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace weft::data
