// CodeCache: what a run-time compiler made, kept in files from one run of a program to the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class CodeCache {
 public:
  /// A cache in that folder; none where it is empty: nothing is found or kept then.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The user's: WEFT_CACHE_DIR, else $XDG_CACHE_HOME/weft, else ~/.cache/weft. WEFT_CACHE_DIR set to nothing turns it
  /// off.
  static CodeCache of_user();

  /// The code kept for `text` as compiled by `compiler` (its name, version and target). What does not check out as
  /// written is not found.
  std::optional<std::string> find(std::string_view compiler, std::string_view text) const;

  /// Keeps it, making the folder at need. Where that fails nothing is kept, and nothing is said: a cache is never a
  /// reason to fail.
  void keep(std::string_view compiler, std::string_view text, std::string_view code) const;

 private:
  std::filesystem::path file(std::string_view compiler, std::string_view text) const;

  std::filesystem::path folder_;
};

/// 128 bits of `text` as 32 digits: texts that differ have other digits, as far as chance goes.
std::string fingerprint(std::string_view text);

}  // namespace weft
