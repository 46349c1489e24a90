// Who multiplies the panels of a stage: warps for themselves, or groups of four warps whose tensor cores take both
// factors from shared memory.
#pragma once

#include "src/backend/cuda/fused_finish.cuh"
#include "src/backend/cuda/fused_multicast_panel.cuh"

namespace weft::cuda::fused {

/// A warp's sums: two patches.
using Sums = float[2][4][4];
constexpr int kUsers = 8;  // warps that multiply

// A multiplier has kGroups groups of warps, which share the slices of each stage: their sums are to be added up.

/// Warps of 32 rows and columns.
template <typename Left_, typename Right_>
struct Warps {
  using Left = Left_;
  using Right = Right_;
  static constexpr int kDown = Left::kSide / 32, kAcross = Right::kSide / 32, kGroups = kUsers / (kDown * kAcross);
  static constexpr int kSlices = Left::kSlices / kGroups;
  static_assert(kSlices * kGroups == Left::kSlices);
  int group, row, column;
  LeftRows<Left> left;
  RightColumns<Right> right;

  __device__ explicit Warps(int warp)
      : group(warp / (kDown * kAcross)),
        row(warp % kDown * 32),
        column(warp / kDown % kAcross * 32),
        left(row),
        right(column) {
    left.place += static_cast<unsigned>(group * kSlices * Left::kSliceBytes);
    right.place += static_cast<unsigned>(Left::kBytes + group * kSlices * Right::kSliceBytes);
  }
  __device__ __forceinline__ void multiply(Sums& sums, unsigned panels, bool) const {
#pragma unroll
    for (int step = 0; step < kSlices * kLine / 32; ++step) {
      unsigned a[2][4], b[2][2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j) right.take(b[j], panels, j, step);
#pragma unroll
      for (int i = 0; i < 2; ++i) left.take(a[i], panels, i, step);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply_add<Left::kElement>(sums[i][j], a[i], b[j / 2][j % 2]);
    }
  }
  /// The i-th 16 rows.
  __device__ Patch patch(int i) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    return {{row + LeftRows<Left>::row(i, 0, g), row + LeftRows<Left>::row(i, 1, g)}, column + 2 * t, 8, false};
  }
  /// Columns that came from pieces four apart go side by side.
  __device__ static __forceinline__ void settle(float (&sums)[4][4]) {
    if constexpr (Right::kWords) {
      const bool upper = (threadIdx.x & 2) != 0;
      float settled[4][4];
#pragma unroll
      for (int j = 0; j < 4; j += 2)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float got = __shfl_xor_sync(0xffffffffu, upper ? sums[j][e] : sums[j + 1][e], 2);
          settled[j / 2][e] = upper ? got : sums[j][e];
          settled[2 + j / 2][e] = upper ? sums[j + 1][e] : got;
        }
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[j][e] = settled[j][e];
    }
  }
};

/// 64 rows and columns of sums of 32 bytes of the inner side; kLeft, kRight: whether lines run across the inner side.
template <int kElement, int kLeft, int kRight>
__device__ __forceinline__ void multiply_group(Sums& d, std::uint64_t left, std::uint64_t right, int adds) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define WEFT_FOUR(j) \
  "+f"(d[j / 4][j % 4][0]), "+f"(d[j / 4][j % 4][1]), "+f"(d[j / 4][j % 4][2]), "+f"(d[j / 4][j % 4][3])
#define WEFT_ALL \
  WEFT_FOUR(0), WEFT_FOUR(1), WEFT_FOUR(2), WEFT_FOUR(3), WEFT_FOUR(4), WEFT_FOUR(5), WEFT_FOUR(6), WEFT_FOUR(7)
#define WEFT_NAMES                                                                                                  \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1"
  if constexpr (kElement == 2)
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " WEFT_NAMES ", %35, %36;\n}"
        : WEFT_ALL
        : "l"(left), "l"(right), "r"(adds), "n"(kLeft), "n"(kRight));
  else
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 " WEFT_NAMES ";\n}"
        : WEFT_ALL
        : "l"(left), "l"(right), "r"(adds));
#undef WEFT_FOUR
#undef WEFT_ALL
#undef WEFT_NAMES
#endif
}

/// Groups of 16 rows and 64 columns a warp, in code for compute capability 9.0a alone. Words of 4 bytes must run along
/// the inner side.
template <typename Left_, typename Right_>
struct Quartets {
  using Left = Left_;
  using Right = Right_;
  static constexpr int kDown = Left::kSide / 16, kGroups = kUsers / kDown, kSlices = Left::kSlices / kGroups;
  static_assert(kSlices * kGroups == Left::kSlices && !Left::kWords && !Right::kWords);
  static_assert(Left::kSide == 64 && Right::kSide == 64);
  int group, row;
  unsigned left, right;

  __device__ explicit Quartets(int warp)
      : group(warp / kDown),
        row(warp % kDown * 16),
        left(static_cast<unsigned>(group * kSlices * Left::kSliceBytes)),
        right(static_cast<unsigned>(Left::kBytes + group * kSlices * Right::kSliceBytes)) {}

  /// Where a step of 32 bytes of the inner side begins in a panel.
  template <typename Panel>
  __device__ static constexpr unsigned place(int step) {
    if (Panel::kAlong) return static_cast<unsigned>(step * 32 % kLine + step * 32 / kLine * Panel::kStripBytes);
    return static_cast<unsigned>(step * 32 / Panel::kElement * kLine);
  }
  /// A panel: 8 lines are 1024 bytes, and their pieces have changed places within 128.
  __device__ static std::uint64_t describe(unsigned panel) {
    return std::uint64_t{panel >> 4 & 0x3fff} | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
           std::uint64_t{1} << 62;
  }
  __device__ __forceinline__ void multiply(Sums& sums, unsigned panels, bool first) const {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < kSlices * kLine / 32; ++step)
      multiply_group<Left::kElement, !Left::kAlong, !Right::kAlong>(sums, describe(panels + left + place<Left>(step)),
                                                                    describe(panels + right + place<Right>(step)),
                                                                    !(first && step == 0));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  }
  /// The i-th 32 columns.
  __device__ Patch patch(int i) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    return {{row + g, row + 8 + g}, 32 * i + 2 * t, 8, false};
  }
  __device__ static void settle(float (&)[4][4]) {}
};

}  // namespace weft::cuda::fused
