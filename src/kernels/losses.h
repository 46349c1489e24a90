// Losses with their gaps, by one group of threads.
#pragma once

#include "src/kernels/elementary.h"
#include "src/kernels/reductions.h"
#include "src/kernels/softmax.h"
#include "src/kernels/step.h"

namespace weft {
namespace kernels {

/// mean (p-t)^2 over all elements; gap = 2(p-t)/elements
WEFT_DEVICE float mse_gap(WEFT_ARG(Team) team, Index elements, WEFT_GLOBAL(const float) p, WEFT_GLOBAL(const float) t,
                          bool has_gap, WEFT_GLOBAL(float) gap) {
  const float count = static_cast<float>(elements);
  float mine = 0.0f;
  for (Index i = team.rank; i < elements; i += team.size) {
    const float error = p[i] - t[i];
    mine = fma(error, error, mine);
    if (has_gap) gap[i] = 2.0f * error / count;
  }
  return sum(team, mine) / count;
}

/// What one row of n logits p loses against its targets t, and its gap: softmax(p) - t, over `rows`. Near a certain and
/// right answer both are as small as what the other classes hold, so they are made of that and not of a difference
/// to 1.
WEFT_DEVICE float cross_entropy_row(Index n, float rows, WEFT_GLOBAL(const float) p, WEFT_GLOBAL(const float) t,
                                    bool has_gap, WEFT_GLOBAL(float) gap) {
  constexpr float kLeastLog = -27.631021f;  // ln(1e-12)
  const RowMass row = row_mass(n, p);
  const float log_total = log_one_plus(row.rest);
  float loss = 0.0f;
  for (Index i = 0; i < n; ++i) {
    const float above = p[i] - row.largest, target = t[i], log_probability = above - log_total;
    loss = fma(-target, log_probability < kLeastLog ? kLeastLog : log_probability, loss);
    if (has_gap) {
      const float miss = i == row.top ? (1.0f - target) - row.rest / row.total() : exp(above) / row.total() - target;
      gap[i] = miss / rows;
    }
  }
  return loss;
}

/// Softmax cross-entropy, mean over the m rows; gap = (softmax(p) - t)/m.
WEFT_DEVICE float cross_entropy_gap(WEFT_ARG(Team) team, Index m, Index n, WEFT_GLOBAL(const float) p,
                                    WEFT_GLOBAL(const float) t, bool has_gap, WEFT_GLOBAL(float) gap) {
  const float rows = static_cast<float>(m);
  float mine = 0.0f;
  for (Index r = team.rank; r < m; r += team.size)
    mine += cross_entropy_row(n, rows, p + r * n, t + r * n, has_gap, has_gap ? gap + r * n : gap);
  return sum(team, mine) / rows;
}

WEFT_DEVICE void loss_gap(WEFT_ARG(Team) team, LossKind loss, Index m, Index n, WEFT_GLOBAL(const float) p,
                          WEFT_GLOBAL(const float) t, bool has_gap, WEFT_GLOBAL(float) gap, WEFT_GLOBAL(float) value,
                          WEFT_GLOBAL(uint32_t) finite) {
  const float total = loss == LossKind::kMse ? mse_gap(team, m * n, p, t, has_gap, gap)
                                             : cross_entropy_gap(team, m, n, p, t, has_gap, gap);
  if (team.rank == 0) {
    *value = total;
    *finite = total - total == 0.0f ? 1 : 0;  // NaN for what is not finite
  }
}

}  // namespace kernels
}  // namespace weft
