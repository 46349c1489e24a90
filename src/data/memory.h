// How much memory reading and splitting may take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/status.hpp"

namespace weft::data {

/// Bytes of a label while rows are read: a number, then a class.
inline constexpr std::int64_t kLabelBytes = 12;

/// What rows need: a table of float32, and what else there is at that time.
struct MemoryNeed {
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_bytes = 0;    // of each row beside its columns: a label
  std::uint64_t file_bytes = 0;  // of files that are held in memory
  bool about = false;            // the rows are an estimate
};

/// The budget in bytes: `asked`, or half of the machine's memory where that is 0.
std::uint64_t memory_budget(std::uint64_t asked);

/// Refuses more than the budget with the sum: "<place>: 100 rows x (5 columns x 4 + 12 bytes) = 3.2e-06 GB of memory,
/// wanted at most ...".
Status check_memory(std::string_view place, const MemoryNeed& need, std::uint64_t budget);

/// The most rows that the budget allows; of the need the rows do not count.
std::int64_t most_rows(const MemoryNeed& need, std::uint64_t budget);

/// "0.5 GB (the memory option; by default half of the machine's)"
std::string budget_text(std::uint64_t budget);

}  // namespace weft::data
