// Rows x columns x 4 bytes against a budget.
#include "src/data/memory.h"

#include <fmt/format.h>

#include "src/core/memory.h"

namespace weft::data {
namespace {

constexpr std::uint64_t kValueBytes = 4;

}  // namespace

std::uint64_t memory_budget(std::uint64_t asked) { return asked != 0 ? asked : machine_memory() / 2; }

Status check_memory(std::string_view place, std::int64_t rows, std::int64_t columns, std::uint64_t budget, bool about) {
  const auto r = static_cast<std::uint64_t>(rows), c = static_cast<std::uint64_t>(columns);
  if (c == 0 || r <= budget / kValueBytes / c) return Status();
  const double sum = static_cast<double>(r) * static_cast<double>(c) * static_cast<double>(kValueBytes);
  return Status(
      StatusCode::kResourceExhausted,
      fmt::format("{}: {}{} rows x {} columns x {} bytes = {:.4g} GB of memory, wanted at most {:.4g} GB (the "
                  "memory option; by default half of the machine's)",
                  place, about ? "about " : "", rows, columns, kValueBytes, sum / 1e9,
                  static_cast<double>(budget) / 1e9));
}

}  // namespace weft::data
