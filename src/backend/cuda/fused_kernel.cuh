// The kernel of fused products: stages of both factors on their way, tensor cores on those that are there.
#pragma once

#include "src/backend/cuda/fused_finish.cuh"
#include "src/backend/cuda/fused_panel.cuh"

namespace weft::cuda::fused {

/// A block's part of the result: kRows x kColumns, its warps kDown x 16 rows and kAcross x 8 columns each. kGroups
/// groups of warps share the inner side of each stage and add up in the end.
template <int kRows_, int kColumns_, int kStages_>
struct Tile {
  static constexpr int kThreads = 256, kRows = kRows_, kColumns = kColumns_, kStages = kStages_;
  static constexpr int kDown = 2, kAcross = 4;
  static constexpr int kWarpsDown = kRows / 32, kWarpsAcross = kColumns / 32;
  static constexpr int kGroups = kThreads / 32 / (kWarpsDown * kWarpsAcross);
};
using Small = Tile<64, 64, 6>;
using Oblong = Tile<128, 64, 4>;

/// v becomes what tensor cores see of it, rounded to nearest (they cut 13 bits off), low the rest. Three products of
/// such halves are as good as float32's: what they lack, low times low, is small and of either sign. NaN stays NaN in
/// low.
template <int N>
__device__ void split(unsigned (&v)[N], unsigned (&low)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const unsigned high = (v[i] + 0x1000u) & 0xffffe000u;
    low[i] = __float_as_uint(__uint_as_float(v[i]) - __uint_as_float(high));
    v[i] = high;
  }
}

/// What a warp multiplies at once: 32 bytes of the inner side.
template <typename Tile, typename Left, typename Right>
struct Fragments {
  unsigned a[Tile::kDown][4], b[Tile::kAcross / 2][2][2];

  __device__ __forceinline__ void take(const LeftPart<Left>& left, const RightPart<Right>& right, unsigned panels,
                                       int step) {
#pragma unroll
    for (int j = 0; j < Tile::kAcross / 2; ++j) right.take(b[j], panels + Left::kBytes, j, step);
#pragma unroll
    for (int i = 0; i < Tile::kDown; ++i) left.take(a[i], panels, i, step);
  }

  /// As exact as float32: tensor cores cut off what their sums have no room for, so these are added up elsewhere.
  __device__ __forceinline__ void multiply(float (&sums)[Tile::kDown][Tile::kAcross][4],
                                           float (&low)[Tile::kDown][Tile::kAcross][4]) {
    unsigned b_low[Tile::kAcross / 2][2][2];
#pragma unroll
    for (int j = 0; j < Tile::kAcross; ++j) split(b[j / 2][j % 2], b_low[j / 2][j % 2]);
#pragma unroll
    for (int i = 0; i < Tile::kDown; ++i) {
      unsigned a_low[4];
      split(a[i], a_low);
      float high[Tile::kAcross][4] = {};
#pragma unroll
      for (int j = 0; j < Tile::kAcross; ++j) multiply_add<4>(high[j], a[i], b[j / 2][j % 2]);
#pragma unroll
      for (int j = 0; j < Tile::kAcross; ++j) multiply_add<4>(low[i][j], a_low, b[j / 2][j % 2]);
#pragma unroll
      for (int j = 0; j < Tile::kAcross; ++j) multiply_add<4>(low[i][j], a[i], b_low[j / 2][j % 2]);
#pragma unroll
      for (int j = 0; j < Tile::kAcross; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += high[j][e];
    }
  }
};

template <int kDown, int kAcross>
__device__ __forceinline__ void add(float (&to)[kDown][kAcross][4], const float (&sums)[kDown][kAcross][4]) {
#pragma unroll
  for (int i = 0; i < kDown; ++i)
#pragma unroll
    for (int j = 0; j < kAcross; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) to[i][j][e] += sums[i][j][e];
}

// Two blocks on a multiprocessor would leave a thread too few registers.
template <bool kLeftAlong, bool kRightAlong, typename Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1) multiply_kernel(const __grid_constant__ Job job) {
  using Left = Panel<Tile::kRows, kLeftAlong>;
  using Right = Panel<Tile::kColumns, kRightAlong>;
  constexpr int kSteps = kLine / 32 / Tile::kGroups;
  constexpr int kStageBytes = Left::kBytes + Right::kBytes;
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned stages = shared_address(memory);
  const int down = (job.rows + Tile::kRows - 1) / Tile::kRows;
  const int top = static_cast<int>(blockIdx.x) % down * Tile::kRows;
  const int left_edge = static_cast<int>(blockIdx.x) / down * Tile::kColumns;
  const int count = (job.inner + kInner - 1) / kInner;
  const int warp = static_cast<int>(threadIdx.x) / 32, group = warp / (Tile::kWarpsDown * Tile::kWarpsAcross);
  const int row = warp % Tile::kWarpsDown * 32, column = warp / Tile::kWarpsDown % Tile::kWarpsAcross * 32;
  const LeftPart<Left> left_part(row, group * kSteps);
  const RightPart<Right> right_part(column, group * kSteps);
  Loader<Tile::kThreads, Left> left(job.left, job.left_row, top, job.rows, 0, job.inner);
  Loader<Tile::kThreads, Right> right(job.right, job.right_row, left_edge, job.columns, 0, job.inner);
  const auto load = [&](int stage) {
    const unsigned to = stages + static_cast<unsigned>(stage * kStageBytes);
    left.load(to);
    right.load(to + Left::kBytes);
  };

#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  if (job.guarded && !is_due(job.guard)) {
    if (job.finish.to.zeroes) clear_tile(job, top, Tile::kRows, left_edge, Tile::kColumns);
    return;
  }
#pragma unroll
  for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
    if (stage < count) load(stage);
    asm volatile("cp.async.commit_group;");
  }
  const float factor = factor_of(job.finish);

  float sums[Tile::kDown][Tile::kAcross][4] = {};
  float low[Tile::kDown][Tile::kAcross][4] = {};
  Fragments<Tile, Left, Right> current, following;
  int now = 0, next = Tile::kStages - 1;
  asm volatile("cp.async.wait_group %0;" ::"n"(Tile::kStages - 2) : "memory");
  __syncthreads();
  current.take(left_part, right_part, stages, 0);
#pragma unroll 1
  for (int stage = 0; stage < count; ++stage) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step == 0) {
        if (stage + Tile::kStages - 1 < count) load(next);
        asm volatile("cp.async.commit_group;");
        next = next + 1 == Tile::kStages ? 0 : next + 1;
      }
      if (step == kSteps - 1) {
        asm volatile("cp.async.wait_group %0;" ::"n"(Tile::kStages - 2) : "memory");
        __syncthreads();
        now = now + 1 == Tile::kStages ? 0 : now + 1;
      }
      following.take(left_part, right_part, stages + static_cast<unsigned>(now * kStageBytes), (step + 1) % kSteps);
      current.multiply(sums, low);
      current = following;
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  add(sums, low);
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif

  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  const auto patch_of = [&](int i) {
    Patch patch;
    patch.rows[0] = top + row + LeftPart<Left>::row(i, 0, g), patch.rows[1] = top + row + LeftPart<Left>::row(i, 1, g);
    patch.column = left_edge + column + 2 * t, patch.step = 8;
    patch.whole = job.wide && top + row + 16 * i + 16 <= job.rows && left_edge + column + 32 <= job.columns;
    return patch;
  };
  const auto finish = [&](int i, const float(&from)[4][4], const Patch& patch, const Pairs& given) {
    Pairs pairs;
    each_pair([&](int r, int j) { pairs[r][j] = make_float2(from[j][2 * r], from[j][2 * r + 1]); });
    finish_patch(job, patch, pairs, given, factor);
  };
  if constexpr (Tile::kGroups > 1) {
    static_assert(Tile::kGroups == Tile::kDown);
    const Patch patch = patch_of(group);
    Pairs given;
    load_given(given, job, patch);
    __syncthreads();  // the factors' last stage has been used
    float own[4][4];
    auto* const exchange = reinterpret_cast<float4*>(memory) +
                           warp % (Tile::kWarpsDown * Tile::kWarpsAcross) * (Tile::kGroups * (Tile::kGroups - 1) * 128);
    exchange_sums<Tile::kGroups>(sums, own, group, exchange, [] { __syncthreads(); });
    finish(0, own, patch, given);
  } else {
#pragma unroll
    for (int i = 0; i < Tile::kDown; ++i) {
      const Patch patch = patch_of(i);
      Pairs given;
      load_given(given, job, patch);
      finish(i, sums[i], patch, given);
    }
  }
}

}  // namespace weft::cuda::fused
