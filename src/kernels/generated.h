// Generated: what generated programs call besides tiles and residence.
#pragma once

#include "src/kernels/residence.h"
#include "src/kernels/run_step.h"
#include "src/kernels/train.h"

namespace weft {
namespace kernels {

/// The sum of `count` floats; behind them are zeros up to a multiple of four.
template <int count>
WEFT_INLINE float total_of(WEFT_SHARED(const float) from) {
  float total = 0.0f;
  WEFT_UNROLL for (int i = 0; i < count; i += 4) {
    float quad[4];
    load(from + i, quad);
    total += (quad[0] + quad[1]) + (quad[2] + quad[3]);
  }
  return total;
}

/// One column of `rows` elements, `step` apart; from the first row to the last in four sums.
template <int rows, int step>
WEFT_INLINE float column_total(WEFT_SHARED(const float) from) {
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  WEFT_UNROLL_BY(8) for (int row = 0; row < rows; ++row) sums[row % 4] += from[row * step];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Element i of `given` elements resized to `wanted`; they lie in rows of `cols`, `ld` apart.
template <int given, int wanted, int cols, int ld>
WEFT_INLINE float project_at(WEFT_SHARED(const float) from, int i) {
  if (given == wanted) return from[i / cols * ld + i % cols];
  const uint32_t at = static_cast<uint32_t>(i);
  const int lo = static_cast<int>(at * uint32_t{given} / uint32_t{wanted});
  const int next = static_cast<int>((at + 1) * uint32_t{given} / uint32_t{wanted}), hi = next > lo ? next : lo + 1;
  float total = 0.0f;
  for (int j = lo; j < hi; ++j) total += from[j / cols * ld + j % cols];
  return given <= wanted && wanted % given == 0 ? total : total / static_cast<float>(hi - lo);
}

/// The n targets tau of one row through one column of W, whose rows are `ldw` apart.
template <int n, int ldw>
WEFT_INLINE float target_below_at(WEFT_SHARED(const float) tau, WEFT_SHARED(const float) w) {
  float total = 0.0f, weight = 0.0f;
  WEFT_UNROLL_BY(4) for (int o = 0; o < n; ++o) {
    total = fma(tau[o], w[o * ldw], total);
    weight += fabs(w[o * ldw]);
  }
  return weight > 0.01f ? total / weight : 0.0f;
}

/// A team of one thread, for what is done by rows.
WEFT_INLINE Team alone() { return Team{0, 1, 0, 1, nullptr}; }

}  // namespace kernels
}  // namespace weft
