// AtomicFile: a file that is either wholly written or not there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "weft/status.hpp"

namespace weft {

/// Writes into a temporary beside the target and renames it at commit(), so that readers and a crash see
/// the old file or the new one. Without commit() the temporary is removed and the old file stays.
class AtomicFile {
 public:
  /// Errors: kNotFound where the folder is not there, kIo naming the file and what the system said.
  static Result<AtomicFile> create(const std::filesystem::path& target);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// Errors: kIo, for instance a full disk. The file is then only good for being dropped.
  Status write(const void* data, std::size_t bytes);

  /// Syncs the temporary, renames it to the target and syncs the folder. Call once, last.
  Status commit();

 private:
  AtomicFile(std::filesystem::path target, std::filesystem::path temporary, int descriptor);
  Status failed(const char* what) const;  // reads errno

  std::filesystem::path target_, temporary_;
  int descriptor_ = -1;
};

/// Writes `bytes` bytes as a whole file, see AtomicFile.
Status write_file_atomically(const std::filesystem::path& target, const void* data, std::size_t bytes);

}  // namespace weft
