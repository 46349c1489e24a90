// What writing and reading share: the table of types.
#include "src/io/safetensors.h"

#include <array>
#include <bit>
#include <utility>

namespace weft {
namespace {

// The data of a file are little-endian and are read and written as they lie in memory.
static_assert(std::endian::native == std::endian::little);

constexpr std::array kBits{
    std::pair{"BOOL", 8}, std::pair{"U8", 8},      std::pair{"I8", 8},      std::pair{"F8_E4M3", 8},
    std::pair{"F4", 4},   std::pair{"F8_E5M2", 8}, std::pair{"F8_E8M0", 8}, std::pair{"F6_E2M3", 6},
    std::pair{"I16", 16}, std::pair{"F6_E3M2", 6}, std::pair{"U16", 16},    std::pair{"F16", 16},
    std::pair{"I32", 32}, std::pair{"BF16", 16},   std::pair{"U32", 32},    std::pair{"F32", 32},
    std::pair{"I64", 64}, std::pair{"U64", 64},    std::pair{"F64", 64},    std::pair{"C64", 64}};

}  // namespace

std::string_view to_string(SafetensorsType type) {
  switch (type) {
    case SafetensorsType::kF32: return "F32";
    case SafetensorsType::kF64: return "F64";
    case SafetensorsType::kU64: return "U64";
  }
  return "unknown type";
}

std::size_t element_size(SafetensorsType type) { return type == SafetensorsType::kF32 ? 4 : 8; }

int safetensors_bits(std::string_view type) {
  for (const auto& [name, bits] : kBits) {
    if (type == name) return bits;
  }
  return 0;
}

}  // namespace weft
