// The machine's memory.
#pragma once

#include <cstdint>

namespace weft {

/// Bytes of physical memory; 0 where the system does not say.
std::uint64_t physical_memory();

/// The same, for budgets; 4 GiB where the system does not say.
std::uint64_t machine_memory();

}  // namespace weft
