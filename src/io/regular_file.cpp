// File types.
#include "src/io/regular_file.h"

#include <fmt/format.h>

#include <system_error>

namespace weft {
namespace {

namespace fs = std::filesystem;

const char* noun(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory: return "a folder";
    case fs::file_type::fifo: return "a pipe";
    case fs::file_type::socket: return "a socket";
    case fs::file_type::character:
    case fs::file_type::block: return "a device";
    default: return "no regular file";
  }
}

}  // namespace

Status check_regular_file(const fs::path& file) {
  std::error_code unknown;
  const fs::file_type type = fs::status(file, unknown).type();
  // What is not there, or may not be looked at, is told by opening it.
  if (type == fs::file_type::regular || type == fs::file_type::not_found || type == fs::file_type::none) return {};
  return {StatusCode::kInvalidArgument, fmt::format("{}, wanted a file", noun(type))};
}

}  // namespace weft
