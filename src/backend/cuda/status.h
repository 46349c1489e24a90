// What the CUDA runtime answers, as a Status.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string_view>

#include "weft/status.hpp"

namespace weft::cuda {

/// Ok, or kDeviceFault with the runtime's words: "cuda: <what>: <words>".
inline Status to_status(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  return {StatusCode::kDeviceFault,
          fmt::format("cuda: {}: {} ({})", what, cudaGetErrorString(error), cudaGetErrorName(error))};
}

}  // namespace weft::cuda
