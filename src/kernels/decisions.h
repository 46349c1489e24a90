// The numbers that decisions are made of, and the decisions. One group; results are single elements.
#pragma once

#include "src/kernels/reductions.h"
#include "src/kernels/step.h"

namespace weft {
namespace kernels {

WEFT_DEVICE bool holds(WEFT_UNIFORM(Condition) condition, WEFT_GLOBAL(const uint32_t) counter) {
  switch (condition.test) {
    case Condition::Test::kAlways: return true;
    case Condition::Test::kNonZero: return *counter != 0;
    case Condition::Test::kZero: return *counter == 0;
    case Condition::Test::kModulo: return *counter % condition.modulus == condition.remainder;
  }
  return true;
}

/// r = sqrt(mean x^2)
WEFT_DEVICE void rms(WEFT_ARG(Team) team, Index elements, WEFT_GLOBAL(const float) x, WEFT_GLOBAL(float) r) {
  const float total = dot(team, elements, x, x);
  if (team.rank == 0) *r = sqrt(total / static_cast<float>(elements));
}

/// r = limit / |x| where the L2 norm of x is above the limit, else 1
WEFT_DEVICE void clip(WEFT_ARG(Team) team, Index elements, float limit, WEFT_GLOBAL(const float) x,
                      WEFT_GLOBAL(float) r) {
  const float norm = sqrt(dot(team, elements, x, x));
  if (team.rank == 0) *r = norm > limit ? limit / norm : 1.0f;
}

WEFT_DEVICE void is_finite(WEFT_ARG(Team) team, Index elements, WEFT_GLOBAL(const float) x,
                           WEFT_GLOBAL(uint32_t) flag) {
  float mine = 0.0f;
  for (Index i = team.rank; i < elements; i += team.size) mine += x[i] - x[i];  // 0 for a finite x, else NaN
  const float none = sum(team, mine);
  if (team.rank == 0) *flag = none == 0.0f ? 1 : 0;
}

/// budget = (cos(x, w) + 1)/2 over all elements, 0 where either is zero; rate = a (0.5 + 0.5 budget).
WEFT_DEVICE void link_budget(WEFT_ARG(Team) team, Index elements, float a, WEFT_GLOBAL(const float) x,
                             WEFT_GLOBAL(const float) w, WEFT_GLOBAL(float) rate, WEFT_GLOBAL(uint32_t) active) {
  const float xx = dot(team, elements, x, x), ww = dot(team, elements, w, w), xw = dot(team, elements, x, w);
  if (team.rank != 0) return;
  const float budget = xx == 0.0f || ww == 0.0f ? 0.0f : (xw / (sqrt(xx) * sqrt(ww)) + 1.0f) / 2.0f;
  *rate = a * (0.5f + 0.5f * budget);
  *active = budget >= 0.2f ? 1 : 0;
}

/// flag = (calls mod period == 0) or (tag != value) or not (kept_rms > 1e-12), the last also where it is not a number
WEFT_DEVICE void refresh(uint32_t calls, uint32_t period, uint32_t tag, uint32_t value, float kept_rms,
                         WEFT_GLOBAL(uint32_t) flag) {
  *flag = calls % period == 0 || tag != value || !(kept_rms > 1e-12f) ? 1 : 0;
}

}  // namespace kernels
}  // namespace weft
