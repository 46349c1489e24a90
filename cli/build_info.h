// What this build is.
#pragma once

#include <string>

namespace weft::cli {

std::string compiler();    // "GCC 12.2.0"
std::string build_type();  // "release", "debug": whether assertions are compiled in

}  // namespace weft::cli
