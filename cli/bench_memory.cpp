// Resident sets as Linux counts them in /proc/self.
#include "cli/bench_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace weft::cli {
namespace {

/// A row of /proc/self/status in bytes: "VmHWM:     1234 kB".
std::optional<std::int64_t> status_row(std::string_view name) {
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return {};
  std::string text(1 << 14, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  const std::size_t row = text.find(fmt::format("\n{}:", name));
  if (row == std::string::npos) return {};
  const std::size_t digits = text.find_first_of("0123456789", row);
  std::int64_t kilobytes = 0;
  if (digits == std::string::npos ||
      std::from_chars(text.data() + digits, text.data() + text.size(), kilobytes).ec != std::errc())
    return {};
  return kilobytes * 1024;
}

/// Makes the peak what is resident now.
bool start_anew() {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "we");
  if (file == nullptr) return false;
  const bool written = std::fputs("5", file) >= 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace

PeakMemory::PeakMemory() {
#include <fmt/format.h>

#if defined(__GLIBC__)
  malloc_trim(0);  // what was freed before would be used again without growth
#endif
  if (start_anew()) before_ = status_row("VmRSS");
}

std::optional<std::int64_t> PeakMemory::growth() const {
  const auto peak = status_row("VmHWM");
  if (!before_ || !peak) return {};
  return std::max<std::int64_t>(*peak - *before_, 0);
}

}  // namespace weft::cli
