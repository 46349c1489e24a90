// Whole files through the operating system.
#include "src/io/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "src/core/try.h"
#include "src/io/gzip.h"
#include "src/io/regular_file.h"

namespace weft {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status read_error(const std::filesystem::path& file, int code) {
  const auto status = code == ENOENT || code == ENOTDIR ? StatusCode::kNotFound : StatusCode::kIo;
  return Status(status, fmt::format("read '{}': {}", file.string(), std::generic_category().message(code)));
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& file, std::uint64_t most) {
  if (const Status status = check_regular_file(file); !status.ok())
    return Status(StatusCode::kIo, fmt::format("read '{}': {}", file.string(), status.message()));
  const std::unique_ptr<std::FILE, CloseFile> stream(std::fopen(file.c_str(), "rb"));
  if (!stream) return read_error(file, errno);
  std::string text;
  char block[1 << 16];
  for (;;) {
    errno = 0;
    const std::size_t got = std::fread(block, 1, sizeof(block), stream.get());
    if (got == 0 && std::ferror(stream.get()) != 0) return read_error(file, errno);
    if (got == 0) return text;
    text.append(block, got);
    if (text.size() > most) {
      return Status(StatusCode::kDataLoss, fmt::format("read '{}': more than {} bytes", file.string(), most));
    }
  }
}

Result<std::string> read_maybe_gzip(const std::filesystem::path& file, std::uint64_t most) {
  WEFT_ASSIGN_OR_RETURN(std::string bytes, read_file(file, most));
  if (!is_gzip(bytes)) return bytes;
  auto text = gunzip(bytes, most);
  if (!text.ok()) {
    return Status(text.status().code(), fmt::format("read '{}': {}", file.string(), text.status().message()));
  }
  return text;
}

}  // namespace weft
