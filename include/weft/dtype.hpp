// The number types and block formats that a weight can be stored in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

/// How a weight is stored, in the order of the published ids 0..33. float32 and float64 are
/// accepted by mount; the others are known by name and refused by name.
enum class DType : std::uint8_t {
#define WEFT_DTYPE(identifier, name) identifier,
#include "weft/dtype.def"
#undef WEFT_DTYPE
};

/// Block quantisation of a weight, in the order of the published ids 0..20. `none` is accepted.
enum class Format : std::uint8_t {
#define WEFT_FORMAT(identifier, name) identifier,
#include "weft/dtype.def"
#undef WEFT_FORMAT
};

inline constexpr int kDTypeCount = 34;
inline constexpr int kFormatCount = 21;

std::string_view to_string(DType dtype);
std::string_view to_string(Format format);

/// Parses a name without regard to case. Errors: kInvalidArgument naming the nearest known names.
Result<DType> parse_dtype(std::string_view name);
Result<Format> parse_format(std::string_view name);

/// Bytes of one element of a float dtype that tensors can hold (float32: 4, float64: 8), else 0.
std::size_t element_size(DType dtype);

}  // namespace weft
