// The mesh's target propagation: targets below a cell.
#pragma once

#include "src/kernels/dense.h"

namespace weft {
namespace kernels {

/// tau_in[m,k] = tau[m,n] W[n,k] over the column sums of |W| where those exceed 0.01, else 0. A thread an element:
/// it walks one column of W, neighbours walk neighbouring columns.
WEFT_DEVICE void target_below(WEFT_ARG(Team) team, WEFT_ARG(Sizes) s, WEFT_GLOBAL(const float) tau,
                              WEFT_GLOBAL(const float) w, WEFT_GLOBAL(float) tau_in) {
  for (Index e = team.first(); e < s.m * s.k; e += team.stride()) {
    const Index row = e / s.k, i = e % s.k;
    float total = 0.0f, weight = 0.0f;
    for (Index o = 0; o < s.n; ++o) {
      const float each = w[o * s.k + i];
      total = fma(tau[row * s.n + o], each, total);
      weight += fabs(each);
    }
    tau_in[e] = weight > 0.01f ? total / weight : 0.0f;
  }
}

}  // namespace kernels
}  // namespace weft
