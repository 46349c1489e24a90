// 16-bit floating-point numbers, widened.
#pragma once

#include <cstdint>

namespace weft {

/// IEEE 754 binary16, every value of which is a float.
float from_half(std::uint16_t bits);

/// bfloat16: the upper half of a float.
float from_bfloat16(std::uint16_t bits);

}  // namespace weft
