// What a path leads to.
#pragma once

#include <filesystem>

#include "weft/status.hpp"

namespace weft {

/// That the file, where it is there, is one that can be read from its start to its end: opening a pipe would wait for a
/// writer, a device may never end. Errors, without a place: kInvalidArgument "a pipe, wanted a file".
Status check_regular_file(const std::filesystem::path& file);

}  // namespace weft
