// Runs of calls in pieces.
#include "src/backend/cuda/way.h"

namespace weft::cuda {

DeviceCalls DeviceCalls::after(std::int64_t done) const {
  DeviceCalls rest = *this;
  const std::int64_t samples = done * batch;
  if (order != nullptr) {
    rest.order += samples;
  } else {
    if (inputs != nullptr) rest.inputs += samples * input_elements;
    if (targets != nullptr) rest.targets += samples * target_elements;
  }
  rest.rates += done;
  rest.outcomes += done;
  rest.clock += static_cast<std::uint64_t>(done);
  return rest;
}

}  // namespace weft::cuda
