// Outcome: what one call came to, as the GPU writes it.
#pragma once

#include <cstdint>

namespace weft::cuda {

struct Outcome {
  float loss;
  std::uint32_t finite;
};

}  // namespace weft::cuda
