// What writing and reading share: the table of types.
#include "src/io/safetensors.h"

#include <bit>

namespace weft {

// The data of a file are little-endian and are read and written as they lie in memory.
static_assert(std::endian::native == std::endian::little);

std::string_view to_string(SafetensorsType type) {
  switch (type) {
    case SafetensorsType::kF32: return "F32";
    case SafetensorsType::kF64: return "F64";
    case SafetensorsType::kU64: return "U64";
  }
  return "unknown type";
}

std::size_t element_size(SafetensorsType type) { return type == SafetensorsType::kF32 ? 4 : 8; }

}  // namespace weft
