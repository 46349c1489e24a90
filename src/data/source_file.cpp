// Paths of sources.
#include "src/data/source_file.h"

#include <system_error>

namespace weft::data {

namespace fs = std::filesystem;

fs::path absolute_path(const fs::path& file) {
  std::error_code unknown;
  fs::path path = fs::absolute(file, unknown);
  return unknown ? file : path;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code unknown;
  return fs::equivalent(a, b, unknown) && !unknown;
}

}  // namespace weft::data
