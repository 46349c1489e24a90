// Panels as the tensor copy engine lays them down: strips of lines of 128 bytes, whose pieces of 16 bytes have changed
// places by the line's number, so that neither lines nor columns of pieces meet one bank twice.
#pragma once

#include "src/backend/cuda/fused_job.cuh"
#include "src/backend/cuda/fused_multicast_pipe.cuh"
#include "src/backend/cuda/tensor_cores.cuh"

namespace weft::cuda::fused {

/// kSide rows of left (or columns of right). kAlong: lines run along the inner side, kSlices strips of them; else
/// across it, in as many strips as it takes.
template <int kSide_, bool kAlong_, int kElement_, int kSlices_>
struct Strips {
  static constexpr int kSide = kSide_, kElement = kElement_, kSlices = kSlices_;
  static constexpr bool kAlong = kAlong_;
  static constexpr int kWidth = kLine / kElement;  // elements of a line
  static constexpr int kInner = kSlices * kWidth;  // of a stage
  static constexpr int kLines = kAlong ? kSide : kInner, kStrips = kAlong ? kSlices : kSide / kWidth;
  static constexpr int kStripBytes = kLines * kLine, kBytes = kStrips * kStripBytes;
  static constexpr int kSliceBytes = kAlong ? kStripBytes : kWidth * kLine;  // from slice to slice
  static constexpr bool kWords = !kAlong && kElement == 4;  // taken word by word: what takes matrices knows no turning
};

/// Brings a panel to shared memory. at_once: the map's boxes are whole panels; else strips.
template <typename Strips>
__device__ __forceinline__ void load_panel(const CUtensorMap& map, bool at_once, unsigned to, unsigned barrier,
                                           int side, int inner) {
  const int y = Strips::kAlong ? side : inner, first = (Strips::kAlong ? inner : side) / Strips::kWidth;
  if (at_once) return copy_box(to, map, 0, y, first, barrier);
#pragma unroll 1
  for (int strip = 0; strip < Strips::kStrips; ++strip)
    copy_box(to + static_cast<unsigned>(strip * Strips::kStripBytes), map, (first + strip) * Strips::kWidth, y, 0,
             barrier);
}

/// What warps that multiply for themselves take of left: 16 rows for 32 bytes of the inner side. A warp's first row is
/// a multiple of 32. Words are taken as two neighbours, and by each half of a warp from pieces that are four apart.
template <typename Strips>
struct LeftRows {
  using Panel = Strips;
  unsigned place;

  __device__ explicit LeftRows(int row) {
    const int lane = static_cast<int>(threadIdx.x) % 32, q = lane / 8, r = lane % 8, g = lane / 4, t = lane % 4;
    const int strip = row / Panel::kWidth * Panel::kStripBytes, in = row % Panel::kWidth * Panel::kElement / 16;
    const int line = Panel::kAlong ? row + (q & 1) * 8 + r : Panel::kWords ? t : (q >> 1) * 8 + r;
    const int piece = Panel::kAlong ? q >> 1 : Panel::kWords ? in + (g >> 2) + 4 * (g >> 1 & 1) : in + (q & 1);
    const int start = Panel::kAlong ? 0 : strip;
    place = static_cast<unsigned>(start + line * kLine + (piece ^ (line & 7)) * 16 + (Panel::kWords ? (g & 1) * 8 : 0));
  }
  static __device__ int row(int i, int half, int g) {
    if (!Panel::kWords) return 16 * i + 8 * half + g;
    return 32 * (i / 2) + 4 * (2 * (i % 2) + (g >> 2) + 4 * (g >> 1 & 1)) + 2 * (g & 1) + half;
  }

  __device__ void take(unsigned (&to)[4], unsigned panel, int i, int step) const {
    const unsigned from = panel + place;
    if constexpr (Panel::kAlong) {
      take_four<false>(to, (from ^ static_cast<unsigned>(step * 32 % kLine)) +
                               static_cast<unsigned>(i * 16 * kLine + step * 32 / kLine * Panel::kStripBytes));
    } else if constexpr (Panel::kWords) {
      const unsigned first = (from ^ static_cast<unsigned>(32 * (i % 2))) +
                             static_cast<unsigned>(i / 2 * Panel::kStripBytes + step * 8 * kLine);
      take_two(to[0], to[1], first);
      take_two(to[2], to[3], (first ^ 64u) + 4 * kLine);
    } else {
      take_four<true>(to, (from ^ static_cast<unsigned>(32 * i)) + static_cast<unsigned>(step * 16 * kLine));
    }
  }
};

/// The same of right: twice 8 columns.
template <typename Strips>
struct RightColumns {
  using Panel = Strips;
  unsigned place;

  __device__ explicit RightColumns(int column) {
    const int lane = static_cast<int>(threadIdx.x) % 32, q = lane / 8, r = lane % 8, g = lane / 4, t = lane % 4;
    const int strip = column / Panel::kWidth * Panel::kStripBytes, in = column % Panel::kWidth * Panel::kElement / 16;
    const int line = Panel::kAlong ? column + (q >> 1) * 8 + r : Panel::kWords ? t : (q & 1) * 8 + r;
    const int piece = Panel::kAlong ? q & 1 : Panel::kWords ? in + 4 * (g >> 2) : in + (q >> 1);
    const int start = Panel::kAlong ? 0 : strip;
    place = static_cast<unsigned>(start + line * kLine + (piece ^ (line & 7)) * 16 + (Panel::kWords ? (g & 3) * 4 : 0));
  }
  __device__ void take(unsigned (&to)[2][2], unsigned panel, int i, int step) const {
    const unsigned from = panel + place;
    if constexpr (Panel::kWords) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int at = 2 * i + j;
        const unsigned first = (from ^ static_cast<unsigned>(16 * (at % 4))) +
                               static_cast<unsigned>(at / 4 * Panel::kStripBytes + step * 8 * kLine);
        take_one(to[j][0], first);
        take_one(to[j][1], (first ^ 64u) + 4 * kLine);
      }
    } else {
      unsigned four[4];
      if constexpr (Panel::kAlong)
        take_four<false>(four, (from ^ static_cast<unsigned>(step * 32 % kLine)) +
                                   static_cast<unsigned>(i * 16 * kLine + step * 32 / kLine * Panel::kStripBytes));
      else
        take_four<true>(four, (from ^ static_cast<unsigned>(32 * i)) + static_cast<unsigned>(step * 16 * kLine));
#pragma unroll
      for (int j = 0; j < 4; ++j) to[j / 2][j % 2] = four[j];
    }
  }
};

}  // namespace weft::cuda::fused
