// What is said when a GPU's memory does not suffice.
#include "src/backend/cuda/device_array.h"

namespace weft::cuda {

Status no_memory(std::string_view what, std::size_t bytes) {
  std::size_t free = 0, total = 0;
  WEFT_RETURN_IF_ERROR(to_status(cudaMemGetInfo(&free, &total), "asking for free memory"));
  return {StatusCode::kResourceExhausted,
          fmt::format("cuda: {}: {} bytes wanted, the GPU has {} of {} free", what, bytes, free, total)};
}

}  // namespace weft::cuda
