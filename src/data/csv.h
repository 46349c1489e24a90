// Reading CSV from any source of bytes.
#pragma once

#include <filesystem>
#include <string>

#include "src/data/byte_source.h"
#include "weft/data.hpp"

namespace weft::data {

/// As csv(); `place` is how messages name the source.
Result<Dataset> read_csv(ByteSource& source, const std::string& place, const CsvOptions& options);

}  // namespace weft::data
