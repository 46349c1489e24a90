// Where the code of weft lies on disk.
#pragma once

#include <filesystem>

namespace weft {

/// The folder of the shared library weft, or of the program that it is linked into; empty where the system does not
/// say.
std::filesystem::path own_folder();

}  // namespace weft
