// kernels.def as Metal launches it.
#include "src/backend/metal/step_kernels.h"

#include <algorithm>

namespace weft::metal {
namespace {

using kernels::Index;
using kernels::Op;

// A sum by one group alone takes as many threads as a group can have.
constexpr UInteger kThreads = 256, kOneGroupThreads = 1024;
constexpr Index kMostGroups = 1 << 16;  // more items than these have threads are taken in turns
static_assert(kernels::kScratchFloats >= kOneGroupThreads);

UInteger count(Index groups) { return static_cast<UInteger>(std::clamp<Index>(groups, 1, kMostGroups)); }

// The spreads of kernels.def.
Grid kElements(Index items, UInteger max_threads) { return grid_of_items(items, max_threads); }
Grid kTiles(Index items, UInteger max_threads) { return {count(items), std::min(kThreads, max_threads)}; }
Grid kOneGroup(Index, UInteger max_threads) { return {1, std::min(kOneGroupThreads, max_threads)}; }
Grid kOneThread(Index, UInteger) { return {1, 1}; }

}  // namespace

Grid grid_of_items(Index items, UInteger max_threads) {
  const UInteger threads = std::min(kThreads, max_threads);
  const auto each = static_cast<Index>(threads);
  return {count((items + each - 1) / each), threads};
}

Result<StepKernel> step_kernel(Library& library, Op op) {
  switch (op) {
#define WEFT_KERNEL(identifier, spread, items) \
  case Op::k##identifier:                      \
    return WEFT_METAL_KERNEL(library, step_##identifier);
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL
  }
  return Status{StatusCode::kInternal, "metal: an instruction has no kernel"};
}

Grid grid_of(const kernels::Step& s, const StepKernel& kernel) {
  using kernels::tiles_along;
#define WEFT_KERNEL(identifier, spread, items) \
  if (s.op == Op::k##identifier) return spread(items, kernel.max_threads());
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL
  return {1, 1};
}

}  // namespace weft::metal
