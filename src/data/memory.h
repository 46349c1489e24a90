// How much memory reading may take.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft::data {

/// The budget in bytes: `asked`, or half of the machine's memory where that is 0.
std::uint64_t memory_budget(std::uint64_t asked);

/// Refuses more than the budget with the sum: "<place>: 100 rows x 5 columns x 4 bytes = 2000 bytes, wanted at most
/// ...". `about`: the rows are an estimate.
Status check_memory(std::string_view place, std::int64_t rows, std::int64_t columns, std::uint64_t budget, bool about);

}  // namespace weft::data
