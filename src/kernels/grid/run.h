// Run: what a generated kernel of a grid is given, and the parts of its pieces that are more than a line.
#pragma once

#include "src/kernels/activations.h"
#include "src/kernels/decisions.h"
#include "src/kernels/grid/products.h"
#include "src/kernels/losses.h"
#include "src/kernels/optimizers.h"
#include "src/kernels/outcome.h"
#include "src/kernels/signals.h"
#include "src/kernels/softmax.h"

namespace weft::kernels::grid {

/// Many calls. Call c trains on the samples order[c * batch ...], or on those very numbers where order is null; a
/// sample has `each` of the rows that the program reads.
struct Run {
  const float* inputs;
  const float* targets;
  const int* order;
  const float* rates;
  CallOutcome* outcomes;
  float* board;
  unsigned* state;  // kept between launches: the counters of two barriers, what they were then, versions of notices
  unsigned long long clock;
  int count, each;
};

/// The buffers of a program.
template <int kCount>
struct Places {
  float* at[kCount];
};

/// The slot of a ring that is `lag` calls old; `now` is the clock modulo the slots.
WEFT_GRID int slot_of(int now, int lag, int slots) { return now >= lag ? now - lag : now - lag + slots; }

/// All threads of a block, and one alone.
WEFT_GRID Team whole_block() { return Team{threadIdx.x, kThreads, 0, 1, nullptr}; }
WEFT_GRID Team alone() { return Team{0, 1, 0, 1, nullptr}; }

/// Element i of a row resized from `given` to `wanted` elements.
WEFT_GRID float projected(const float* x, int given, int wanted, int i) {
  const int lo = static_cast<int>(static_cast<long long>(i) * given / wanted);
  const int next = static_cast<int>((static_cast<long long>(i) + 1) * given / wanted), hi = next > lo ? next : lo + 1;
  float total = 0.0f;
  for (int j = lo; j < hi; ++j) total += x[j];
  return total / static_cast<float>(hi - lo);
}

/// Sums of a tile's terms: x x, or 0 where finite.
template <bool kFinite>
WEFT_GRID float terms(const float* x, int elements) {
  float mine = 0.0f;
  for (int i = thread_of(); i < elements; i += kThreads) mine = kFinite ? mine + (x[i] - x[i]) : fmaf(x[i], x[i], mine);
  return mine;
}

}  // namespace weft::kernels::grid
