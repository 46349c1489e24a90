// Precision: how a device may round the factors of matrix products.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

/// Weights, activations and sums are float32 in all of them.
enum class Precision : std::uint8_t {
  kFloat32,   // factors as they are: exact products
  kTf32,      // factors rounded to 10 bits of fraction, 8 of exponent
  kBfloat16,  // factors rounded to 7 bits of fraction, 8 of exponent
};

std::string_view to_string(Precision precision);  // "fp32", "tf32", "bf16"
/// Errors: kInvalidArgument naming the known ones.
Result<Precision> parse_precision(std::string_view name);

}  // namespace weft
