// OutFolder: where a training writes, checked before it starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "weft/status.hpp"

namespace weft::cli {

class OutFolder {
 public:
  /// Empty: nothing is written.
  explicit OutFolder(std::string path) : path_(std::move(path)) {}
  /// A folder that prepare has made and in which there is still nothing is removed.
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  explicit operator bool() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Whether this can become a folder to write in. Writes nothing. Errors: kIo naming --out and what is in the way.
  Status check() const;
  /// Makes the folder and sees that files of `bytes` bytes can be written: access rights do not tell all (a name too
  /// long, a system folder, a full disk). Errors: as check.
  Status prepare(std::uint64_t bytes);

  /// A folder in it for files that are to replace those of the same names together.
  Result<std::filesystem::path> stage();
  /// Moves them there. What fails before (a full disk) has left the files as they were. Errors: kIo naming the file.
  Status commit();

 private:
  std::filesystem::path path_, stage_;
  bool made_ = false;
};

}  // namespace weft::cli
