// Sites are keys in a table that only grows. Its atomics are relaxed: a race detector must not take them for the order
// that a barrier is there to make.
#include "tests/metal/emulate/barrier_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weft::test {
namespace {

using Key = std::uint64_t;

std::array<std::atomic<Key>, 64> table{};
std::atomic<Key> left_out{0};

Key key_of(std::string_view file, int line) {
  file.remove_prefix(file.rfind('/') + 1);
  Key hash = 14695981039346656037u;  // FNV-1a
  for (const char c : file) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return (hash << 16 | static_cast<Key>(line)) | Key{1} << 63;
}

Key key_of(const BarrierSite& site) { return key_of(site.file, site.line); }

}  // namespace

std::string to_string(const BarrierSite& site) { return fmt::format("{}:{}", site.file, site.line); }

std::vector<BarrierSite> barrier_sites(const std::string& folder) {
  std::vector<BarrierSite> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream source(entry.path());
    int number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      const bool defines = line.find("void barrier()") != std::string::npos;
      const bool waits =
          line.find(".barrier();") != std::string::npos || line.find("WEFT_BARRIER();") != std::string::npos;
      if (waits && !defines) found.push_back({entry.path().filename(), number});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const BarrierSite& a, const BarrierSite& b) { return to_string(a) < to_string(b); });
  return found;
}

bool was_met(const BarrierSite& site) {
  return std::any_of(table.begin(), table.end(), [&](const auto& slot) { return slot.load() == key_of(site); });
}

std::size_t sites_met() {
  return static_cast<std::size_t>(
      std::count_if(table.begin(), table.end(), [](const auto& slot) { return slot.load() != 0; }));
}

void leave_out(const BarrierSite* site) { left_out.store(site == nullptr ? 0 : key_of(*site)); }

const void* come_to(std::string_view file, int line) {
  const Key key = key_of(file, line);
  if (left_out.load(std::memory_order_relaxed) == key) return nullptr;
  for (auto& slot : table) {
    Key seen = slot.load(std::memory_order_relaxed);
    if (seen == 0 && slot.compare_exchange_strong(seen, key, std::memory_order_relaxed)) return &slot;
    if (seen == key) return &slot;
  }
  std::abort();  // more places than the table has
}

}  // namespace weft::test
