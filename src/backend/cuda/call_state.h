// CallState: what changes from call to call, in the GPU's memory, so that a run of calls needs no word of the host.
#pragma once

#include <cstdint>

#include "src/kernels/outcome.h"

namespace weft::cuda {

struct CallState {
  const float* inputs;  // rows of samples
  const float* targets;
  const std::int32_t* order;  // null: the rows as they lie
  const float* rates;
  kernels::CallOutcome* outcomes;
  std::int64_t input_elements, target_elements;  // of a row
  std::int32_t batch;
  std::int32_t call;  // counts up at the end of each
};

}  // namespace weft::cuda
