// NPZ: a zip archive of NPY files.
#pragma once

#include <string>
#include <string_view>

#include "weft/data.hpp"

namespace weft::data {

/// As npz(), from the bytes of the archive.
Result<Dataset> read_npz(std::string_view bytes, const std::string& place, const ArrayOptions& options);

}  // namespace weft::data
