// Files of the cache: a line that says what follows, and the code.
#include "src/generate/code_cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "src/io/atomic_file.h"
#include "src/io/read_file.h"

namespace weft {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

/// The finalizer of MurmurHash3: every bit of the result depends on every bit of h.
std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::string head(std::string_view code) { return fmt::format("weft code {} {}\n", code.size(), fingerprint(code)); }

/// A folder named by the environment; empty where it is not named.
std::filesystem::path folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string fingerprint(std::string_view text) {
  // Two sums that walk apart: FNV-1a, and one that mixes at every byte.
  std::uint64_t a = 0xcbf29ce484222325ULL, b = 0x9e3779b97f4a7c15ULL;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    a = (a ^ byte) * 0x100000001b3ULL;
    b = mixed(b + byte + 1);
  }
  return fmt::format("{:016x}{:016x}", mixed(a), b);
}

CodeCache CodeCache::of_user() {
  if (std::getenv("WEFT_CACHE_DIR") != nullptr) return CodeCache(folder_of("WEFT_CACHE_DIR"));
  if (const auto cache = folder_of("XDG_CACHE_HOME"); cache.is_absolute()) return CodeCache(cache / "weft");
  const auto home = folder_of("HOME");
  return CodeCache(home.empty() ? home : home / ".cache" / "weft");
}

std::filesystem::path CodeCache::file(std::string_view compiler, std::string_view text) const {
  return folder_ / (fingerprint(std::string(compiler) + '\n' + std::string(text)) + ".code");
}

std::optional<std::string> CodeCache::find(std::string_view compiler, std::string_view text) const {
  if (folder_.empty()) return std::nullopt;
  Result<std::string> kept = read_file(file(compiler, text), kMostBytes);
  if (!kept.ok()) return std::nullopt;
  const std::size_t line = kept->find('\n');
  if (line == std::string::npos) return std::nullopt;
  std::string code = kept->substr(line + 1);
  if (kept->substr(0, line + 1) != head(code)) return std::nullopt;
  return code;
}

void CodeCache::keep(std::string_view compiler, std::string_view text, std::string_view code) const {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return;
  const std::string whole = head(code) + std::string(code);
  static_cast<void>(write_file_atomically(file(compiler, text), whole.data(), whole.size()));
}

}  // namespace weft
