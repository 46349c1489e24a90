// Sums over a group in one fixed order: each thread adds up its own terms, then a tree. The same group size gives the
// same bits every time.
#pragma once

#include "src/kernels/team.h"

namespace weft {
namespace kernels {

/// The sum of every thread's `mine`, told to all threads of the group. All of them must call it.
WEFT_DEVICE float sum(WEFT_ARG(Team) team, float mine) {
  team.barrier();  // whoever still reads an earlier sum
  team.scratch[team.rank] = mine;
  team.barrier();
  for (uint32_t width = team.size; width > 1;) {
    const uint32_t fold = (width + 1) / 2;
    if (team.rank + fold < width) team.scratch[team.rank] += team.scratch[team.rank + fold];
    team.barrier();
    width = fold;
  }
  return team.scratch[0];
}

/// The sum of x[i] w[i], by one group.
WEFT_DEVICE float dot(WEFT_ARG(Team) team, Index elements, WEFT_GLOBAL(const float) x, WEFT_GLOBAL(const float) w) {
  float mine = 0.0f;
  for (Index i = team.rank; i < elements; i += team.size) mine = fma(x[i], w[i], mine);
  return sum(team, mine);
}

}  // namespace kernels
}  // namespace weft
