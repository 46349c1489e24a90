// Temporary, fsync, rename, fsync of the folder.
#include "src/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "src/core/try.h"

namespace weft {
namespace {

// The most that one call of write() is given; some systems refuse 2 GiB and more.
constexpr std::size_t kMostPerWrite = std::size_t{1} << 30;
constexpr int kAttempts = 100;

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  const std::string name = fmt::format(".{}.{}.{}.tmp", target.filename().string(), ::getpid(), counter.fetch_add(1));
  return folder_of(target) / name;
}

Status system_error(const std::filesystem::path& target, const char* what, int code) {
  const auto status = code == ENOENT || code == ENOTDIR ? StatusCode::kNotFound : StatusCode::kIo;
  return Status(status,
                fmt::format("write '{}': {}: {}", target.string(), what, std::generic_category().message(code)));
}

int sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int code = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems cannot sync a folder; nothing more can be done there.
  return code == EINVAL || code == ENOTSUP ? 0 : code;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, std::filesystem::path temporary, int descriptor)
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) {
  if (!target.has_filename())
    return Status(StatusCode::kInvalidArgument, "write: no file name in '" + target.string() + "'");
  for (int attempt = 0;; ++attempt) {
    std::filesystem::path temporary = temporary_name(target);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return AtomicFile(target, std::move(temporary), descriptor);
    // A leftover of a process that had our number.
    if (errno != EEXIST || attempt == kAttempts)
      return system_error(target, "cannot make a temporary beside it", errno);
  }
}

Status AtomicFile::failed(const char* what) const { return system_error(target_, what, errno); }

Status AtomicFile::write(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, at, std::min(bytes, kMostPerWrite));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("cannot write");
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return Status();
}

Status AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) return failed("cannot sync");
  if (::close(std::exchange(descriptor_, -1)) != 0) return failed("cannot close");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failed("cannot rename the temporary to it");
  temporary_.clear();
  if (const int code = sync_folder(folder_of(target_)); code != 0) {
    return system_error(target_, "cannot sync its folder", code);
  }
  return Status();
}

Status write_file_atomically(const std::filesystem::path& target, const void* data, std::size_t bytes) {
  WEFT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(target));
  WEFT_RETURN_IF_ERROR(file.write(data, bytes));
  return file.commit();
}

}  // namespace weft
