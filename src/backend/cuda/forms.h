// Forms: elementwise results written as later products want them, in one pass: as they are, as bfloat16, turned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/backend/cuda/call_state.h"
#include "src/kernels/step.h"

namespace weft::cuda {

/// Where a matrix [rows, columns] goes; null where it is not wanted so.
struct Forms {
  float* plain = nullptr;           // rows of `columns`
  std::uint16_t* half = nullptr;    // bfloat16, rows of half_row
  std::uint16_t* finite = nullptr;  // the same with 0 for what is not finite
  float* turned = nullptr;          // [columns, rows], rows of turned_row, which is a multiple of 4
  std::int64_t half_row = 0, turned_row = 0;
  bool turned_finite = false;  // with 0 there for what is not finite
  bool zeroes = false;         // where the conditions do not hold, half and turned become 0; else nothing is written
};

/// The conditions of an instruction and the counters that they look at.
struct Guard {
  kernels::Condition when[3];
  const std::uint32_t* at[3];
};

struct Extent {
  std::int64_t rows, columns;
};

// Each puts one kernel on the stream. Sources are row-major without gaps.

cudaError_t write_copy(Guard guard, Extent extent, const float* x, Forms to, cudaStream_t stream);
/// act(z); z may be the plain result
cudaError_t write_activated(Guard guard, Extent extent, kernels::Act activation, const float* z, Forms to,
                            cudaStream_t stream);

/// a times x of `given` elements resized to `wanted`, as the instruction project does.
struct Projection {
  std::int64_t given, wanted;
  float a;
};
cudaError_t write_projected(Guard guard, Extent extent, Projection projection, const float* x, Forms to,
                            cudaStream_t stream);
/// (scale g) act'(z), g being x projected.
cudaError_t write_delta(Guard guard, Extent extent, Projection projection, const float* x, float scale,
                        kernels::Act activation, const float* z, Forms to, cudaStream_t stream);

/// The call's rows of inputs (or targets).
cudaError_t write_gathered(const CallState* state, bool targets, Extent extent, Forms to, cudaStream_t stream);

/// Sums over many blocks: partial[kPartials] and a ticket that is 0 before and after.
inline constexpr int kPartials = 4096;
struct Partials {
  float* sums;
  std::uint32_t* ticket;
};

/// The gap of p against t, or against the call's rows of targets where t is null; and the mean squared error, unless
/// `loss` is null.
cudaError_t write_mse_gap(Guard guard, Extent extent, const float* p, const float* t, const CallState* state, Forms to,
                          float* loss, std::uint32_t* finite, Partials partials, cudaStream_t stream);

}  // namespace weft::cuda
