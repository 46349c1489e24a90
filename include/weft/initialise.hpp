// How fresh weights are drawn.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

/// All uniform in +-bound. kUniform: 1/sqrt(in). kXavier: sqrt(6/(in+out)) (Glorot and Bengio 2010).
/// kHe: sqrt(6/in) (He et al. 2015). kZeros: 0.
enum class Initialiser : std::uint8_t { kUniform, kXavier, kHe, kZeros };

std::string_view to_string(Initialiser initialiser);
Result<Initialiser> parse_initialiser(std::string_view name);

struct Init {
  std::uint64_t seed = 1;
  Initialiser initialiser = Initialiser::kUniform;
};

}  // namespace weft
