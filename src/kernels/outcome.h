// CallOutcome: what one call of a run came to.
#pragma once

#include "src/kernels/dialect.h"

namespace weft {
namespace kernels {

struct CallOutcome {
  float loss;
  uint32_t finite;
};

}  // namespace kernels
}  // namespace weft
