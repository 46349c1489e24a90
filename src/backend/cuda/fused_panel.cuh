// Panels: the part of a factor that a stage holds in shared memory, how it gets there and how tensor cores take it.
#pragma once

#include "src/backend/cuda/fused_job.cuh"
#include "src/backend/cuda/tensor_cores.cuh"

namespace weft::cuda::fused {

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

constexpr int kInner = kLine / 4;  // elements of a line

/// kSide rows of left (or columns of right). kAlong: lines in memory run along the inner side; else across it.
/// The gap behind each line is so wide that neither storing nor taking meets one bank twice.
template <int kSide, bool kAlong_>
struct Panel {
  static constexpr bool kAlong = kAlong_;
  static constexpr int kPieces = kAlong ? kLine / 16 : kSide / 4;  // of 16 bytes, of a line
  static constexpr int kLines = kAlong ? kSide : kInner;
  static constexpr int kLineBytes = kPieces * 16 + (kAlong ? 16 : 32);
  static constexpr int kBytes = kLines * kLineBytes;
};

/// Brings one stage after the other. A thread takes pieces kApart lines from each other; what lies outside is 0.
template <int kThreads, typename Panel>
struct Loader {
  static constexpr int kApart = kThreads / Panel::kPieces, kEach = Panel::kLines / kApart;
  static_assert(kThreads % Panel::kPieces == 0 && Panel::kLines % kApart == 0);
  const char* from;
  Index apart, step;  // bytes from piece to piece and from stage to stage
  int lines, width;   // from this thread's first piece to the end: lines, and bytes of a line
  unsigned to;

  /// side: the first row (or column) of the tile; inner: where the first stage begins.
  __device__ Loader(const char* factor, Index row, int side, int sides, int inner, int inners) {
    const int line = static_cast<int>(threadIdx.x) / Panel::kPieces,
              piece = static_cast<int>(threadIdx.x) % Panel::kPieces;
    const int first_line = Panel::kAlong ? side : inner, first_column = Panel::kAlong ? inner : side;
    from = factor + (first_line + line) * row + Index{first_column} * 4 + piece * 16;
    apart = kApart * row;
    step = Panel::kAlong ? kLine : Panel::kLines * row;
    lines = (Panel::kAlong ? sides : inners) - first_line - line;
    const Index bytes = Index{(Panel::kAlong ? inners : sides) - first_column} * 4 - piece * 16;
    width = static_cast<int>(bytes < (1 << 30) ? bytes : (1 << 30));
    to = static_cast<unsigned>(line * Panel::kLineBytes + piece * 16);
  }

  __device__ void load(unsigned stage) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int bytes = i * kApart < lines ? max(0, min(16, width)) : 0;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(stage + to + i * kApart * Panel::kLineBytes),
                   "l"(from + i * apart), "r"(bytes));
    }
    from += step;
    if (Panel::kAlong)
      width -= kLine;
    else
      lines -= Panel::kLines;
  }
};

/// Fragments of a panel of left: 16 rows for 32 bytes of the inner side. Across lines words are taken, since what takes
/// matrices cannot turn them, as two neighbours: what tensor cores hold to be rows g and 8 + g are rows 2g and 2g + 1.
template <typename Panel>
struct LeftPart {
  unsigned place;  // of this thread in a stage

  /// row: the warp's first; step: the 32 bytes with which it begins.
  __device__ LeftPart(int row, int step) {
    const int lane = static_cast<int>(threadIdx.x) % 32, q = lane / 8, r = lane % 8, g = lane / 4, t = lane % 4;
    const int line = Panel::kAlong ? row + (q & 1) * 8 + r : 8 * step + t;
    const int bytes = Panel::kAlong ? step * 32 + (q >> 1) * 16 : (row + 2 * g) * 4;
    place = static_cast<unsigned>(line * Panel::kLineBytes + bytes);
  }
  /// The row that `half` of the sums of the i-th 16 rows belong to; g: the thread's group of four.
  static __device__ int row(int i, int half, int g) { return 16 * i + (Panel::kAlong ? 8 * half + g : 2 * g + half); }

  /// The i-th 16 rows, `step` steps on.
  __device__ void take(unsigned (&to)[4], unsigned panel, int i, int step) const {
    constexpr int kRows = Panel::kAlong ? 16 * Panel::kLineBytes : 16 * 4;
    constexpr int kStep = Panel::kAlong ? 32 : 8 * Panel::kLineBytes;
    const unsigned from = panel + place + static_cast<unsigned>(i * kRows + step * kStep);
    if constexpr (Panel::kAlong) {
      take_four<false>(to, from);
    } else {
      take_two(to[0], to[1], from);
      take_two(to[2], to[3], from + 4 * Panel::kLineBytes);
    }
  }
};

/// The same of a panel of right: twice 8 columns.
template <typename Panel>
struct RightPart {
  unsigned place;

  __device__ RightPart(int column, int step) {
    const int lane = static_cast<int>(threadIdx.x) % 32, q = lane / 8, r = lane % 8, g = lane / 4, t = lane % 4;
    const int line = Panel::kAlong ? column + (q >> 1) * 8 + r : 8 * step + t;
    const int bytes = Panel::kAlong ? step * 32 + (q & 1) * 16 : (column + g) * 4;
    place = static_cast<unsigned>(line * Panel::kLineBytes + bytes);
  }
  __device__ void take(unsigned (&to)[2][2], unsigned panel, int i, int step) const {
    constexpr int kColumns = Panel::kAlong ? 16 * Panel::kLineBytes : 16 * 4;
    constexpr int kStep = Panel::kAlong ? 32 : 8 * Panel::kLineBytes;
    const unsigned from = panel + place + static_cast<unsigned>(i * kColumns + step * kStep);
    if constexpr (Panel::kAlong) {
      unsigned four[4];
      take_four<false>(four, from);
#pragma unroll
      for (int j = 0; j < 4; ++j) to[j / 2][j % 2] = four[j];
    } else {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        take_one(to[j][0], from + static_cast<unsigned>(32 * j));
        take_one(to[j][1], from + static_cast<unsigned>(32 * j + 4 * Panel::kLineBytes));
      }
    }
  }
};

}  // namespace weft::cuda::fused
