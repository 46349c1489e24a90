// OutFolder: where a training writes, checked before it starts; its files change together or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/status.hpp"

namespace weft::cli {

/// What a training leaves, in the order in which it is put in place.
inline constexpr std::array kRunFiles{"weights.safetensors", "model.json", "data.json", "metrics.jsonl", "run.json"};

class OutFolder {
 public:
  /// Empty: nothing is written.
  explicit OutFolder(std::string path) : path_(std::move(path)) {}
  /// Removes what was only for the time of the training, and a folder that prepare has made if nothing is in it.
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  explicit operator bool() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Whether this can become a folder to write in. Writes nothing. Errors: kIo naming --out and what is in the way.
  Status check() const;
  /// Makes the folder and sees that files of `bytes` bytes can be written: access rights do not tell all (a name too
  /// long, a system folder, a full disk). Clears what processes that are gone have left half done, but
  /// for files that they were replacing: those go with the next commit. Errors: as check.
  Status prepare(std::uint64_t bytes);

  /// metrics.jsonl of the training under way; it stays only where the process is killed.
  std::filesystem::path part() const { return path_ / "metrics.jsonl.part"; }

  /// A folder in it for files that are to replace those of the same names together.
  Result<std::filesystem::path> stage();
  /// Moves them there: all of them, or none where one cannot be moved. weights.safetensors goes first and run.json
  /// last, so that a crash on the way leaves two ids. Errors: kIo naming the file, and the files that could not be put
  /// back. `keep_old`: what they replace stays, in a folder of its own beside them.
  Status commit(bool keep_old = false);
  /// That folder; empty where there was nothing to keep.
  const std::filesystem::path& kept() const { return kept_; }

 private:
  Status link_old(const std::vector<const char*>& files) const;
  void leave_old();
  Status put_back(const std::vector<const char*>& files) const;

  std::filesystem::path path_, stage_, kept_;
  bool made_ = false, prepared_ = false;
};

}  // namespace weft::cli
