// Rows x bytes against a budget.
#include "src/data/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/core/memory.h"

namespace weft::data {
namespace {

constexpr std::int64_t kValueBytes = 4;

std::string per_row(const MemoryNeed& need) {
  if (need.row_bytes == 0) return fmt::format("{} columns x {} bytes", need.columns, kValueBytes);
  return fmt::format("({} columns x {} + {} bytes)", need.columns, kValueBytes, need.row_bytes);
}

}  // namespace

std::uint64_t memory_budget(std::uint64_t asked) { return asked != 0 ? asked : machine_memory() / 2; }

std::string budget_text(std::uint64_t budget) {
  return fmt::format("{:.4g} GB (the memory option; by default half of the machine's)",
                     static_cast<double>(budget) / 1e9);
}

std::int64_t most_rows(const MemoryNeed& need, std::uint64_t budget) {
  const auto row = static_cast<std::uint64_t>(std::max<std::int64_t>(need.columns * kValueBytes + need.row_bytes, 1));
  const std::uint64_t left = budget - std::min(budget, need.file_bytes);
  return static_cast<std::int64_t>(std::min(left / row, std::uint64_t{1} << 40));
}

Status check_memory(std::string_view place, const MemoryNeed& need, std::uint64_t budget) {
  if (need.rows <= most_rows(need, budget)) return Status();
  const double row =
      static_cast<double>(need.columns) * static_cast<double>(kValueBytes) + static_cast<double>(need.row_bytes);
  const double sum = static_cast<double>(need.rows) * row + static_cast<double>(need.file_bytes);
  const std::string file =
      need.file_bytes == 0 ? "" : fmt::format(" + {:.4g} GB of the file", static_cast<double>(need.file_bytes) / 1e9);
  return Status(
      StatusCode::kResourceExhausted,
      fmt::format("{}: {}{} rows x {}{} = {:.4g} GB of memory, wanted at most {}", place, need.about ? "about " : "",
                  need.rows, per_row(need), file, sum / 1e9, budget_text(budget)));
}

}  // namespace weft::data
