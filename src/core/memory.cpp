// Pages times their size.
#include "src/core/memory.h"

#include <unistd.h>

namespace weft {

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

std::uint64_t machine_memory() {
  const std::uint64_t bytes = physical_memory();
  return bytes != 0 ? bytes : std::uint64_t{4} << 30;
}

}  // namespace weft
