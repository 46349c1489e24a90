// Reading the environment, and counting down to faults.
#include "tests/metal/standin/settings.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "tests/metal/standin/fail.h"

namespace weft::standin {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

long number(const char* name, long otherwise) {
  const std::string text = environment(name);
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  require(*end == '\0' && value >= 0, "{}='{}', wanted a number from 0", name, text);
  return value;
}

using Countdowns = std::array<std::atomic<long>, static_cast<std::size_t>(Fault::kCount)>;
Countdowns& countdowns() {
  static auto* const all = new Countdowns{number("WEFT_STANDIN_FAIL_COMMAND", 0), number("WEFT_STANDIN_FAIL_BUFFER", 0),
                                          number("WEFT_STANDIN_FAIL_QUEUE", 0)};
  return *all;
}

}  // namespace

bool strikes(Fault fault) {
  std::atomic<long>& left = countdowns()[static_cast<std::size_t>(fault)];
  long seen = left.load();
  while (seen > 0 && !left.compare_exchange_weak(seen, seen - 1)) continue;
  return seen == 1;
}

void arm(Fault fault, long times) { countdowns()[static_cast<std::size_t>(fault)].store(times); }

bool has_device() { return number("WEFT_STANDIN_NO_DEVICE", 0) == 0; }

Execution execution() {
  static const Execution chosen = [] {
    const std::string text = environment("WEFT_STANDIN_EXECUTE");
    require(text.empty() || text == "wait" || text == "thread", "WEFT_STANDIN_EXECUTE='{}', wanted wait or thread",
            text);
    return text == "thread" ? Execution::kOnThread : Execution::kAtWait;
  }();
  return chosen;
}

bool backwards() {
  static const bool chosen = [] {
    const std::string text = environment("WEFT_STANDIN_ORDER");
    require(text.empty() || text == "forwards" || text == "backwards",
            "WEFT_STANDIN_ORDER='{}', wanted forwards or backwards", text);
    return text == "backwards";
  }();
  return chosen;
}

unsigned long memory_limit() { return static_cast<unsigned long>(number("WEFT_STANDIN_MEMORY", 8L << 30)); }

unsigned long thread_limit() {
  static const auto limit = static_cast<unsigned long>(number("WEFT_STANDIN_THREADS", 1024));
  return limit;
}

long macos() {
  static const long version = number("WEFT_STANDIN_MACOS", 15);
  return version;
}

bool checks_leaks() { return number("WEFT_STANDIN_LEAKS", 0) != 0; }

std::string cache_folder() {
  const std::string given = environment("WEFT_STANDIN_CACHE");
  if (!given.empty()) return given;
  return (std::filesystem::temp_directory_path() / ("weft-standin-" + std::to_string(getuid()))).string();
}

}  // namespace weft::standin
