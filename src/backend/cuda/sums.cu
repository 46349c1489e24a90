// Sums over many blocks.
#include "src/backend/cuda/sums.h"

#include <algorithm>

#include "src/backend/cuda/blocks.cuh"
#include "src/backend/cuda/dependent.cuh"
#include "src/kernels/elementary.h"

namespace weft::cuda {
namespace {

using kernels::Index;

constexpr unsigned kThreads = 256;
constexpr unsigned kColumns = 32, kRows = 8;  // of a block that sums columns

template <Whole whole>
__global__ void __launch_bounds__(kThreads)
    reduce_kernel(const Guard guard, Index elements, const float* x, float limit, float* to, Partials partials) {
  __shared__ float scratch[kThreads / kWarp];
  wait_for_before();
  if (!is_due(guard)) return;
  float mine = 0.0f;
  const Index stride = static_cast<Index>(gridDim.x) * kThreads;
  for (Index i = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; i < elements; i += stride) {
    if (whole == Whole::kIsFinite)
      mine += x[i] - x[i];  // 0 for a finite x, else NaN
    else
      mine = fmaf(x[i], x[i], mine);
  }
  sum_blocks(mine, partials, scratch, [&](float all) {
    if (whole == Whole::kRms) *to = sqrtf(all / static_cast<float>(elements));
    if (whole == Whole::kClip) *to = sqrtf(all) > limit ? limit / sqrtf(all) : 1.0f;
    if (whole == Whole::kIsFinite) *reinterpret_cast<std::uint32_t*>(to) = all == 0.0f ? 1 : 0;
  });
}

template <typename Combine>
__device__ float over_warp(float mine, Combine combine) {
  for (unsigned apart = kWarp / 2; apart > 0; apart /= 2)
    mine = combine(mine, __shfl_xor_sync(0xffffffffu, mine, apart));
  return mine;
}

/// As kernels::cross_entropy_gap, the sums over a row in the order of the lanes.
__global__ void __launch_bounds__(kThreads)
    cross_entropy_kernel(const Guard guard, Index m, Index n, const float* p, const float* t, float* gap, float* loss,
                         std::uint32_t* finite, Partials partials) {
  constexpr float kLeastLog = -27.631021f;  // ln(1e-12)
  __shared__ float scratch[kThreads / kWarp];
  wait_for_before();
  if (!is_due(guard)) return;
  const auto add = [](float a, float b) { return a + b; };
  const unsigned lane = threadIdx.x % kWarp;
  const float rows = static_cast<float>(m);
  const Index warps = static_cast<Index>(gridDim.x) * (kThreads / kWarp);
  float mine = 0.0f;
  for (Index r = static_cast<Index>(blockIdx.x) * (kThreads / kWarp) + threadIdx.x / kWarp; r < m; r += warps) {
    const float* const row = p + r * n;
    // The largest, and the first place that holds it.
    float largest = row[0];
    Index top = 0;
    for (Index i = lane; i < n; i += kWarp)
      if (row[i] > largest) top = i, largest = row[i];
    for (unsigned apart = kWarp / 2; apart > 0; apart /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, largest, apart);
      const Index place = __shfl_xor_sync(0xffffffffu, top, apart);
      if (other > largest || (other == largest && place < top)) top = place, largest = other;
    }
    float rest = 0.0f;
    for (Index i = lane; i < n; i += kWarp)
      if (i != top) rest += expf(row[i] - largest);
    rest = over_warp(rest, add);
    const float log_total = kernels::log_one_plus(rest), total = 1.0f + rest;
    for (Index i = lane; i < n; i += kWarp) {
      const float above = row[i] - largest, target = t[r * n + i], log_probability = above - log_total;
      mine -= target * (log_probability < kLeastLog ? kLeastLog : log_probability);
      if (gap != nullptr) {
        const float miss = i == top ? (1.0f - target) - rest / total : expf(above) / total - target;
        gap[r * n + i] = miss / rows;
      }
    }
  }
  sum_blocks(mine, partials, scratch, [&](float all) {
    *loss = all / rows;
    *finite = *loss - *loss == 0.0f ? 1 : 0;
  });
}

/// sums[part of the rows, column]
__global__ void __launch_bounds__(kColumns* kRows)
    partial_columns_kernel(const Guard guard, Extent extent, const float* d, float* sums) {
  wait_for_before();
  if (!is_due(guard)) return;
  const Index column = static_cast<Index>(blockIdx.x) * kColumns + threadIdx.x;
  const Index part = static_cast<Index>(blockIdx.y) * kRows + threadIdx.y,
              parts = static_cast<Index>(gridDim.y) * kRows;
  if (column >= extent.columns) return;
  float mine = 0.0f;
  for (Index row = part; row < extent.rows; row += parts) mine += d[row * extent.columns + column];
  sums[part * extent.columns + column] = mine;
}

__global__ void __launch_bounds__(kThreads)
    whole_columns_kernel(const Guard guard, Index columns, unsigned parts, const float* sums, ColumnSums what) {
  wait_for_before();
  if (!is_due(guard)) return;
  const Index column = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x;
  if (column >= columns) return;
  float total = 0.0f;
  for (unsigned i = 0; i < parts; ++i) total += sums[i * columns + column];
  float* const to = what.to + column;
  if (what.state != nullptr)
    *to = fmaf(-(what.state->rates[what.state->call] * what.scale), total, *to);
  else
    *to = what.accumulate ? *to + total : total;
}

unsigned blocks_for(Index items, Index each, Index most) {
  return static_cast<unsigned>(std::clamp<Index>((items + each - 1) / each, 1, most));
}

}  // namespace

cudaError_t reduce(Guard guard, Whole whole, std::int64_t elements, const float* x, float limit, float* to,
                   Partials partials, cudaStream_t stream) {
  const unsigned blocks = blocks_for(elements, kThreads * 4, kPartials);
  switch (whole) {
    case Whole::kRms:
      launch_dependent(reduce_kernel<Whole::kRms>, blocks, kThreads, stream, guard, elements, x, limit, to, partials);
      break;
    case Whole::kClip:
      launch_dependent(reduce_kernel<Whole::kClip>, blocks, kThreads, stream, guard, elements, x, limit, to, partials);
      break;
    case Whole::kIsFinite:
      launch_dependent(reduce_kernel<Whole::kIsFinite>, blocks, kThreads, stream, guard, elements, x, limit, to,
                       partials);
      break;
  }
  return cudaGetLastError();
}

cudaError_t cross_entropy(Guard guard, Extent extent, const float* p, const float* t, float* gap, float* loss,
                          std::uint32_t* finite, Partials partials, cudaStream_t stream) {
  const unsigned blocks = blocks_for(extent.rows, kThreads / kWarp, kPartials);
  launch_dependent(cross_entropy_kernel, blocks, kThreads, stream, guard, extent.rows, extent.columns, p, t, gap, loss,
                   finite, partials);
  return cudaGetLastError();
}

cudaError_t sum_columns(Guard guard, Extent extent, const float* d, ColumnSums what, float* sums, cudaStream_t stream) {
  const unsigned row_blocks = blocks_for(extent.rows, kRows * 4, kRowParts / kRows);
  const dim3 grid(blocks_for(extent.columns, kColumns, INT32_MAX), row_blocks), block(kColumns, kRows);
  launch_dependent(partial_columns_kernel, grid, block, stream, guard, extent, d, sums);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  launch_dependent(whole_columns_kernel, blocks_for(extent.columns, kThreads, INT32_MAX), kThreads, stream, guard,
                   extent.columns, row_blocks * kRows, sums, what);
  return cudaGetLastError();
}

}  // namespace weft::cuda
