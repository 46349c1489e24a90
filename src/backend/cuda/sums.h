// Sums over many blocks of a GPU, in an order that depends on nothing but the sizes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/backend/cuda/call_state.h"
#include "src/backend/cuda/forms.h"

namespace weft::cuda {

/// What becomes of the sum of x^2 over all elements.
enum class Whole {
  kRms,       // sqrt(mean)
  kClip,      // limit / sqrt where the root is above the limit, else 1
  kIsFinite,  // flag: all elements are finite
};
cudaError_t reduce(Guard guard, Whole whole, std::int64_t elements, const float* x, float limit, float* to,
                   Partials partials, cudaStream_t stream);

/// Softmax cross-entropy of p against t, a warp a row, and the gap (may be null); as the instruction loss_gap.
cudaError_t cross_entropy(Guard guard, Extent extent, const float* p, const float* t, float* gap, float* loss,
                          std::uint32_t* finite, Partials partials, cudaStream_t stream);

/// Sums over the rows of d[rows, columns]: to[c] (+)= sum, or where `state` is given to[c] -= rate of the call * scale
/// * sum. sums holds kRowParts * columns numbers.
inline constexpr int kRowParts = 64;
struct ColumnSums {
  bool accumulate;
  const CallState* state;
  float scale;
  float* to;
};
cudaError_t sum_columns(Guard guard, Extent extent, const float* d, ColumnSums what, float* sums, cudaStream_t stream);

}  // namespace weft::cuda
