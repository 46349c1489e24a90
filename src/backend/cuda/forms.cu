// Elementwise kernels that write several forms of their result.
#include <cuda_bf16.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "src/backend/cuda/blocks.cuh"
#include "src/backend/cuda/dependent.cuh"
#include "src/backend/cuda/forms.h"
#include "src/backend/cuda/sources.cuh"

namespace weft::cuda {
namespace {

using namespace sources;

constexpr unsigned kThreads = 256;
constexpr Index kManyElements = Index{1} << 22;  // from here on a GPU has more than enough threads
// Then each takes kInTurn pieces, two of them at a time (H200, a step of four layers of 4096 in bfloat16: 2745 µs; 2764
// with four where there is little to compute, and then 2770 with one and 2760 with four elsewhere).
constexpr int kInTurn = 4, kTogether = 2;

__device__ void store(float* x, Index i, Index count, bool wide, const Four& four) {
  if (wide) {
    *reinterpret_cast<float4*>(x + i) = make_float4(four.at[0], four.at[1], four.at[2], four.at[3]);
  } else {
#pragma unroll
    for (int e = 0; e < kEach; ++e)
      if (e < count) x[i + e] = four.at[e];
  }
}

/// half_row is a multiple of 8, so a row's elements from a multiple of 4 on are always aligned, and there is room.
__device__ void store_half(std::uint16_t* x, Index i, const Four& four) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(four.at[0], four.at[1]);
  const __nv_bfloat162 high = __floats2bfloat162_rn(four.at[2], four.at[3]);
  uint2 bits;
  bits.x = *reinterpret_cast<const std::uint32_t*>(&low);
  bits.y = *reinterpret_cast<const std::uint32_t*>(&high);
  *reinterpret_cast<uint2*>(x + i) = bits;
}

/// With 0 for what is not finite.
__device__ Four finite(Four four) {
#pragma unroll
  for (float& each : four.at) each = each - each == 0.0f ? each : 0.0f;
  return four;
}

template <typename Source>
__device__ Four make(const Source& source, const typename Source::Raw& raw, float& mine) {
  if constexpr (Source::kSums)
    return source.make(raw, mine);
  else
    return source.make(raw);
}

/// action(alike), the fast way where the source's rows are the extent's.
template <typename Source, typename Start, typename Action>
__device__ void with_rows(const Start& start, Action action) {
  if constexpr (Source::kGathers) {
    if (!start.alike) return action(std::false_type{});
  }
  action(std::true_type{});
}

template <typename Source>
__device__ void finish(const Source& source, float mine, float* scratch) {
  if constexpr (Source::kSums) {
    sum_blocks(mine, source.partials, scratch, [&](float all) {
      const float loss = all / source.elements;
      *source.loss = loss;
      *source.finite = loss - loss == 0.0f ? 1 : 0;  // NaN for what is not finite
    });
  }
}

/// Puts four elements in all forms but the turned one; answers what goes there.
__device__ Four put(const Four& four, const Extent& extent, const Forms& to, bool due, Index row, Index column,
                    bool wide) {
  if (due && to.plain != nullptr) store(to.plain, row * extent.columns + column, extent.columns - column, wide, four);
  if (to.half != nullptr) store_half(to.half, row * to.half_row + column, four);
  if (to.finite != nullptr) store_half(to.finite, row * to.half_row + column, finite(four));
  return to.turned_finite ? finite(four) : four;
}

/// Without turning: pieces of four along each row, dealt out over the grid, kMany of a thread's at a time. kWhole: all
/// pieces are of four and allow accesses of 16 bytes, and there is one row unless the source is not flat.
template <bool kWhole, int kMany, typename Source>
__global__ void __launch_bounds__(kThreads)
    flat_kernel(const Guard guard, const Extent extent, const Source source, const Forms to, bool allows_wide) {
  constexpr bool kLine = kWhole && Source::kFlat;
  const bool wide = kWhole || allows_wide;
  __shared__ float scratch[Source::kSums ? kThreads / kWarp : 1];
  wait_for_before();
  const bool due = is_due(guard);
  if (!due && !to.zeroes) return;
  const auto start = source.start(extent);
  const Index pieces = (extent.columns + kEach - 1) / kEach, all = extent.rows * pieces;
  const Index stride = static_cast<Index>(gridDim.x) * kThreads;
  float mine = 0.0f;
  with_rows<Source>(start, [&](auto is_alike) {
    constexpr bool kAlike = decltype(is_alike)::value;
    for (Index first = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; first < all; first += kMany * stride) {
      typename Source::Raw raws[kMany];
      Index rows[kMany], columns[kMany];
#pragma unroll
      for (int each = 0; each < kMany; ++each) {
        const Index piece = first + each * stride;
        rows[each] = kLine ? 0 : divide(piece, pieces);
        columns[each] = (piece - rows[each] * pieces) * kEach;
      }
#pragma unroll
      for (int each = 0; each < kMany; ++each) {
        raws[each] = {};
        if (due && first + each * stride < all)
          raws[each] = source.raw(start, kAlike, rows[each], columns[each], rows[each] * extent.columns + columns[each],
                                  extent.columns - columns[each], wide);
      }
#pragma unroll
      for (int each = 0; each < kMany; ++each) {
        if (first + each * stride >= all) break;
        const Four four = due ? make(source, raws[each], mine) : Four{};
        put(four, extent, to, due, rows[each], columns[each], wide);
      }
    }
  });
  finish(source, mine, scratch);
}

/// With turning: a block takes square tiles, its threads pieces of four along rows, then pieces of four along columns.
template <int kTile, typename Source>
__global__ void __launch_bounds__(kThreads)
    turning_kernel(const Guard guard, const Extent extent, const Source source, const Forms to, bool wide) {
  constexpr int kTileRow = kTile + 1, kAcross = kTile / kEach, kStep = kThreads / kAcross, kMany = kTile / kStep;
  static_assert(kTile % kStep == 0);
  __shared__ float tile[kTile * kTileRow];
  wait_for_before();
  const bool due = is_due(guard);
  if (!due && !to.zeroes) return;
  const auto start = source.start(extent);
  const int line = static_cast<int>(threadIdx.x) / kAcross, piece = static_cast<int>(threadIdx.x) % kAcross * kEach;
  const Index across = (extent.columns + kTile - 1) / kTile, tiles = across * ((extent.rows + kTile - 1) / kTile);
  float mine = 0.0f;
  with_rows<Source>(start, [&](auto is_alike) {
    constexpr bool kAlike = decltype(is_alike)::value;
    for (Index t = blockIdx.x; t < tiles; t += gridDim.x) {
      const Index down = divide(t, across), top = down * kTile, left = (t - down * across) * kTile;
      const Index column = left + piece;
      typename Source::Raw raws[kMany];
#pragma unroll
      for (int each = 0; each < kMany; ++each) {
        const Index row = top + line + each * kStep;
        raws[each] = {};
        if (due && row < extent.rows && column < extent.columns)
          raws[each] =
              source.raw(start, kAlike, row, column, row * extent.columns + column, extent.columns - column, wide);
      }
      __syncthreads();  // the tile before has been used
#pragma unroll
      for (int each = 0; each < kMany; ++each) {
        const int r = line + each * kStep;
        const Index row = top + r;
        Four four{};
        if (row < extent.rows && column < extent.columns) {
          if (due) four = make(source, raws[each], mine);
          four = put(four, extent, to, due, row, column, wide);
        }
#pragma unroll
        for (int e = 0; e < kEach; ++e) tile[r * kTileRow + piece + e] = four.at[e];
      }
      __syncthreads();
#pragma unroll
      for (int c = line; c < kTile; c += kStep) {
        const Index to_row = left + c, from = top + piece;
        if (to_row >= extent.columns || from >= extent.rows) continue;
        Four four;
#pragma unroll
        for (int e = 0; e < kEach; ++e) four.at[e] = tile[(piece + e) * kTileRow + c];
        store(to.turned, to_row * to.turned_row + from, kEach, true, four);  // the row has room to a multiple of 4
      }
    }
  });
  finish(source, mine, tile);
}

template <typename Source>
cudaError_t write(const Guard& guard, Extent extent, const Source& source, Forms to, cudaStream_t stream) {
  const Index elements = extent.rows * extent.columns;
  if (elements == 0) return cudaSuccess;
  const bool wide =
      extent.columns % kEach == 0 && source.aligned() && reinterpret_cast<std::uintptr_t>(to.plain) % 16 == 0;
  const bool large = elements >= kManyElements;
  const Index most = Source::kSums ? kPartials : Index{1} << 20;
  const auto blocks = [&](Index items, Index of_a_block) {
    return static_cast<unsigned>(std::clamp<Index>((items + of_a_block - 1) / of_a_block, 1, most));
  };
  if (to.turned != nullptr) {
    const auto tiles = [&](Index side) {
      return blocks((extent.rows + side - 1) / side * ((extent.columns + side - 1) / side), 1);
    };
    if (large)
      launch_dependent(turning_kernel<64, Source>, tiles(64), kThreads, stream, guard, extent, source, to, wide);
    else
      launch_dependent(turning_kernel<32, Source>, tiles(32), kThreads, stream, guard, extent, source, to, wide);
    return cudaGetLastError();
  }
  // Where rows follow each other without gaps, one long row needs no division.
  const bool gapless = to.half_row == extent.columns || (to.half == nullptr && to.finite == nullptr);
  const Index pieces = extent.rows * ((extent.columns + kEach - 1) / kEach);
  if (!wide || (Source::kFlat && !gapless)) {
    launch_dependent(flat_kernel<false, 1, Source>, blocks(pieces, kThreads), kThreads, stream, guard, extent, source,
                     to, wide);
    return cudaGetLastError();
  }
  if (Source::kFlat) extent = {1, elements};
  if (large) {
    launch_dependent(flat_kernel<true, kTogether, Source>, blocks(pieces, kInTurn * kThreads), kThreads, stream, guard,
                     extent, source, to, wide);
  } else {
    launch_dependent(flat_kernel<true, 1, Source>, blocks(pieces, kThreads), kThreads, stream, guard, extent, source,
                     to, wide);
  }
  return cudaGetLastError();
}

/// action(Known<activation>{})
template <typename Action>
cudaError_t with_known(Act activation, Action action) {
  switch (activation) {
    case Act::kLinear: return action(Known<Act::kLinear>{});
    case Act::kRelu: return action(Known<Act::kRelu>{});
    case Act::kRelu2: return action(Known<Act::kRelu2>{});
    case Act::kLeakyRelu: return action(Known<Act::kLeakyRelu>{});
    case Act::kSilu: return action(Known<Act::kSilu>{});
    case Act::kGelu: return action(Known<Act::kGelu>{});
    case Act::kTanh: return action(Known<Act::kTanh>{});
    case Act::kSigmoid: return action(Known<Act::kSigmoid>{});
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t write_copy(Guard guard, Extent extent, const float* x, Forms to, cudaStream_t stream) {
  return write(guard, extent, Copy{x}, to, stream);
}

cudaError_t write_activated(Guard guard, Extent extent, kernels::Act activation, const float* z, Forms to,
                            cudaStream_t stream) {
  return with_known(activation, [&](auto known) {
    return write(guard, extent, Activated<decltype(known)>{known, z}, to, stream);
  });
}

cudaError_t write_projected(Guard guard, Extent extent, Projection p, const float* x, Forms to, cudaStream_t stream) {
  if (p.given == p.wanted) return write(guard, extent, Scaled{p.a, x}, to, stream);
  return write(guard, extent, Resized{p, x}, to, stream);
}

cudaError_t write_delta(Guard guard, Extent extent, Projection p, const float* x, float scale, kernels::Act activation,
                        const float* z, Forms to, cudaStream_t stream) {
  if (p.given != p.wanted) return write(guard, extent, Delta<Resized, Act>{{p, x}, scale, activation, z}, to, stream);
  return with_known(activation, [&](auto known) {
    return write(guard, extent, Delta<Scaled, decltype(known)>{{p.a, x}, scale, known, z}, to, stream);
  });
}

cudaError_t write_gathered(const CallState* state, bool targets, Extent extent, Forms to, cudaStream_t stream) {
  return write(Guard{}, extent, Gathered{state, targets}, to, stream);
}

cudaError_t write_mse_gap(Guard guard, Extent extent, const float* p, const float* t, const CallState* state, Forms to,
                          float* loss, std::uint32_t* finite, Partials partials, cudaStream_t stream) {
  const auto elements = static_cast<double>(extent.rows * extent.columns);
  const auto gap = [&](auto target, auto takes_loss) {
    const MseGap<decltype(target), decltype(takes_loss)::value> source{
        p, target, static_cast<float>(elements), static_cast<float>(2.0 / elements), loss, finite, partials};
    return write(guard, extent, source, to, stream);
  };
  const auto either = [&](auto target) {
    return loss != nullptr ? gap(target, std::true_type{}) : gap(target, std::false_type{});
  };
  return t != nullptr ? either(Copy{t}) : either(Gathered{state, true});
}

}  // namespace weft::cuda
