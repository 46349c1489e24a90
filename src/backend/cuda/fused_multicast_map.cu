// Making tensor maps by the driver, which is asked where it does that.
#include "src/backend/cuda/fused_multicast_map.h"

#include <cuda_runtime_api.h>

namespace weft::cuda::fused {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode find_encode() {
  constexpr unsigned kSince = 12000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, kSince, cudaEnableDefault, &result);
  return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(found) : nullptr;
}

Encode encoder() {
  static const Encode found = find_encode();
  return found;
}

}  // namespace

bool can_make_maps() { return encoder() != nullptr; }

bool make_map(CUtensorMap& map, const MapOf& of) {
  if (!can_make_maps()) return false;
  constexpr cuuint64_t kLine = 128;
  const auto element = static_cast<cuuint64_t>(of.element), width = static_cast<cuuint64_t>(of.width);
  const bool strips = of.has_strips();
  const cuuint64_t sides[3] = {strips ? kLine / element : width, static_cast<cuuint64_t>(of.lines),
                               strips ? width * element / kLine : 1};
  const cuuint64_t apart[2] = {static_cast<cuuint64_t>(of.row), kLine};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(kLine / element), static_cast<cuuint32_t>(of.box_lines),
                             strips ? static_cast<cuuint32_t>(of.box_strips) : 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  return encoder()(&map, of.element == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3,
                   const_cast<void*>(of.from), sides, apart, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace weft::cuda::fused
