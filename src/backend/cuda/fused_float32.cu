// Fused products in float32.
#include "src/backend/cuda/dependent.cuh"
#include "src/backend/cuda/fused_kernel.cuh"

namespace weft::cuda::fused {
namespace {

template <bool kLeftAlong, bool kRightAlong, typename Tile>
cudaError_t launch_tile(const Job& job, const Launch& launch) {
  const auto kernel = multiply_kernel<kLeftAlong, kRightAlong, Tile>;
  constexpr int kBytes =
      Tile::kStages * (Panel<Tile::kRows, kLeftAlong>::kBytes + Panel<Tile::kColumns, kRightAlong>::kBytes);
  static_assert(kBytes <= kMostShared, "two blocks fit on a multiprocessor");
  const auto blocks = [](int size, int side) { return Index{(size + side - 1) / side}; };
  const auto tiles = static_cast<unsigned>(blocks(job.rows, Tile::kRows) * blocks(job.columns, Tile::kColumns));
  return launch_dependent_with(kBytes, kernel, tiles, Tile::kThreads, launch.stream, job);
}

template <bool kLeftAlong, bool kRightAlong>
cudaError_t launch_layout(const Job& job, const Launch& launch) {
  switch (launch.plan.size) {
    case Plan::Size::kSmall: return launch_tile<kLeftAlong, kRightAlong, Small>(job, launch);
    case Plan::Size::kOblong: return launch_tile<kLeftAlong, kRightAlong, Oblong>(job, launch);
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t launch_float32(const Job& job, const Launch& launch) {
  if (launch.left_turned && launch.right_turned) return cudaErrorInvalidValue;  // does not occur
  if (launch.left_turned) return launch_layout<false, false>(job, launch);
  if (launch.right_turned) return launch_layout<true, true>(job, launch);
  return launch_layout<true, false>(job, launch);
}

}  // namespace weft::cuda::fused
