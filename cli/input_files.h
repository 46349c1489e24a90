// Files that a command reads, which what it writes must not replace.
#pragma once

#include <filesystem>
#include <vector>

#include "weft/status.hpp"

namespace weft::cli {

/// That `out` is none of the files, under whatever name. Errors: kInvalidArgument "--out: seen 'a.csv', which is read
/// ...".
Status check_out(const std::filesystem::path& out, const std::vector<std::filesystem::path>& inputs);

}  // namespace weft::cli
