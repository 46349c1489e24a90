// Elementwise kernels that write several forms of their result.
#include <cuda_bf16.h>

#include <algorithm>
#include <cstddef>

#include "src/backend/cuda/blocks.cuh"
#include "src/backend/cuda/forms.h"
#include "src/kernels/activations.h"

namespace weft::cuda {
namespace {

using kernels::Act;
using kernels::Index;

constexpr unsigned kThreads = 256;
constexpr int kEach = 4;                         // neighbours that a thread takes together: 16 bytes
constexpr Index kManyElements = Index{1} << 22;  // from here on a GPU has more than enough threads

/// a / b for numbers that are not negative, without the price of 64 bits where 32 do.
__device__ Index divide(Index a, Index b) {
  const bool small = ((a | b) >> 32) == 0;
  return small ? static_cast<Index>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b)) : a / b;
}

struct Four {
  float at[kEach];
};

/// Elements i to i+3 of x, of which the first `count` are there. wide: i and x allow one access.
__device__ Four load(const float* x, Index i, Index count, bool wide) {
  Four four{};
  if (wide) {
    const float4 got = *reinterpret_cast<const float4*>(x + i);
    four.at[0] = got.x, four.at[1] = got.y, four.at[2] = got.z, four.at[3] = got.w;
  } else {
#pragma unroll
    for (int e = 0; e < kEach; ++e)
      if (e < count) four.at[e] = x[i + e];
  }
  return four;
}

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

// ---- sources: four(row, column, i, count, wide) are the elements from i = row * columns + column on ----

struct Copy {
  static constexpr bool kSums = false, kMayLieThere = false, kFlat = true, kLight = true;
  const float* x;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; }
  __device__ Four four(Index, Index, Index i, Index count, bool wide) const { return load(x, i, count, wide); }
};

struct Activated {
  static constexpr bool kSums = false, kMayLieThere = false, kFlat = true, kLight = false;
  Act activation;
  const float* z;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(z) % 16 == 0; }
  __device__ Four four(Index, Index, Index i, Index count, bool wide) const {
    Four y = load(z, i, count, wide);
#pragma unroll
    for (float& each : y.at) each = kernels::activate(activation, each);
    return y;
  }
};

struct Projected {
  static constexpr bool kSums = false, kMayLieThere = false, kFlat = true, kLight = false;
  Projection p;
  const float* x;
  bool aligned() const { return p.given != p.wanted || reinterpret_cast<std::uintptr_t>(x) % 16 == 0; }
  __device__ Four four(Index, Index, Index i, Index count, bool wide) const {
    Four y{};
    if (p.given == p.wanted) {
      y = load(x, i, count, wide);
#pragma unroll
      for (float& each : y.at) each = p.a * each;
      return y;
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      if (e >= count) break;
      const Index lo = (i + e) * p.given / p.wanted, next = (i + e + 1) * p.given / p.wanted;
      const Index hi = next > lo ? next : lo + 1;
      float total = 0.0f;
      for (Index j = lo; j < hi; ++j) total += x[j];
      y.at[e] = p.a * (total / static_cast<float>(hi - lo));
    }
    return y;
  }
};

struct Delta {
  static constexpr bool kSums = false, kMayLieThere = false, kFlat = true, kLight = false;
  Projected gap;
  float scale;
  Act activation;
  const float* z;
  bool aligned() const { return gap.aligned() && reinterpret_cast<std::uintptr_t>(z) % 16 == 0; }
  __device__ Four four(Index row, Index column, Index i, Index count, bool wide) const {
    Four d = gap.four(row, column, i, count, wide);
    const Four at = load(z, i, count, wide);
#pragma unroll
    for (int e = 0; e < kEach; ++e) d.at[e] = scale * d.at[e] * kernels::slope(activation, at.at[e]);
    return d;
  }
};

/// The call's samples one behind the other, wherever they lie.
struct Gathered {
  static constexpr bool kSums = false, kMayLieThere = true, kFlat = false, kLight = true;
  const CallState* state;
  bool targets;
  bool aligned() const { return true; }  // where rows allow it
  __device__ const float* base() const { return targets ? state->targets : state->inputs; }
  __device__ Four four(Index row, Index column, Index i, Index count, bool wide) const {
    const Index elements = targets ? state->target_elements : state->input_elements;
    const Index first = static_cast<Index>(state->call) * state->batch;
    const bool rows_wide = wide && elements % kEach == 0;
    if (state->order == nullptr) return load(base(), first * elements + i, count, rows_wide);
    if (rows_wide) {
      if (column >= elements || i - column != row * elements)
        row = divide(i, elements), column = i - row * elements;  // other rows
      return load(base(), state->order[first + row] * elements + column, count, true);
    }
    Four four{};
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      if (e >= count) break;
      row = divide(i + e, elements);
      four.at[e] = base()[state->order[first + row] * elements + (i + e - row * elements)];
    }
    return four;
  }
};

struct MseGap {
  static constexpr bool kSums = true, kMayLieThere = false, kFlat = false, kLight = false;
  const float* p;
  const float* t;
  Gathered rows;          // where t is null
  float elements, slope;  // 2 / elements
  float* loss;
  std::uint32_t* finite;
  Partials partials;
  bool aligned() const {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && reinterpret_cast<std::uintptr_t>(t) % 16 == 0;
  }
  __device__ Four four(Index row, Index column, Index i, Index count, bool wide, float& mine) const {
    Four gap = load(p, i, count, wide);
    const Four wanted = t != nullptr ? load(t, i, count, wide) : rows.four(row, column, i, count, wide);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const float error = gap.at[e] - wanted.at[e];
      mine = fmaf(error, error, mine);
      gap.at[e] = slope * error;
    }
    return gap;
  }
};

template <typename Source>
__device__ Four take(const Source& source, Index row, Index column, Index i, Index count, bool wide, float& mine) {
  if constexpr (Source::kSums)
    return source.four(row, column, i, count, wide, mine);
  else
    return source.four(row, column, i, count, wide);
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

/// Without turning: pieces of four along each row, dealt out over the grid. wide: columns and places allow 16 bytes.
/// Large copies take kMany pieces a thread at a time, so that more of memory's answers are under way; sources that
/// compute more are slower so (H200, 16 million elements: a copy 26 against 28 µs, a delta 71 against 57).
template <int kMany, typename Source>
__global__ void __launch_bounds__(kThreads)
    flat_kernel(const Guard guard, const Extent extent, const Source source, const Forms to, bool wide) {
  __shared__ float scratch[Source::kSums ? kThreads : 1];
  const bool due = is_due(guard);
  if (!due && !to.zeroes) return;
  if constexpr (Source::kMayLieThere) {
    if (to.half == nullptr && to.finite == nullptr && source.base() == to.plain) return;
  }
  const Index pieces = (extent.columns + kEach - 1) / kEach, all = extent.rows * pieces;
  const Index stride = static_cast<Index>(gridDim.x) * kThreads;
  float mine = 0.0f;
  for (Index first = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; first < all; first += kMany * stride) {
    Four fours[kMany];
    Index rows[kMany], columns[kMany];
#pragma unroll
    for (int each = 0; each < kMany; ++each) {
      const Index piece = first + each * stride;
      rows[each] = extent.rows == 1 ? 0 : divide(piece, pieces);
      columns[each] = (piece - rows[each] * pieces) * kEach;
      fours[each] = Four{};
      if (due && piece < all)
        fours[each] = take(source, rows[each], columns[each], rows[each] * extent.columns + columns[each],
                           extent.columns - columns[each], wide, mine);
    }
#pragma unroll
    for (int each = 0; each < kMany; ++each)
      if (first + each * stride < all) put(fours[each], extent, to, due, rows[each], columns[each], wide);
  }
  finish(source, mine, scratch);
}

/// With turning: a block takes square tiles, its threads pieces of four along rows, then pieces of four along columns.
template <int kTile, typename Source>
__global__ void __launch_bounds__(kThreads)
    turning_kernel(const Guard guard, const Extent extent, const Source source, const Forms to, bool wide) {
  constexpr int kTileRow = kTile + 1, kAcross = kTile / kEach, kStep = kThreads / kAcross;
  static_assert(kTile * kTileRow >= kThreads && kTile % kStep == 0);
  __shared__ float tile[kTile * kTileRow];
  const bool due = is_due(guard);
  if (!due && !to.zeroes) return;
  const int line = static_cast<int>(threadIdx.x) / kAcross, piece = static_cast<int>(threadIdx.x) % kAcross * kEach;
  const Index across = (extent.columns + kTile - 1) / kTile, tiles = across * ((extent.rows + kTile - 1) / kTile);
  float mine = 0.0f;
  for (Index t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Index down = divide(t, across), top = down * kTile, left = (t - down * across) * kTile;
    __syncthreads();  // the tile before has been used
#pragma unroll
    for (int r = line; r < kTile; r += kStep) {
      const Index row = top + r, column = left + piece;
      Four four{};
      if (row < extent.rows && column < extent.columns) {
        if (due) four = take(source, row, column, row * extent.columns + column, extent.columns - column, wide, mine);
        four = put(four, extent, to, due, row, column, wide);
      }
#pragma unroll
      for (int e = 0; e < kEach; ++e) tile[r * kTileRow + piece + e] = four.at[e];
    }
    __syncthreads();
#pragma unroll
    for (int c = line; c < kTile; c += kStep) {
      const Index column = left + c, row = top + piece;
      if (column >= extent.columns || row >= extent.rows) continue;
      Four four;
#pragma unroll
      for (int e = 0; e < kEach; ++e) four.at[e] = tile[(piece + e) * kTileRow + c];
      store(to.turned, column * to.turned_row + row, kEach, true, four);  // the row has room to a multiple of 4
    }
  }
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
  const auto blocks = [&](Index groups) { return static_cast<unsigned>(std::clamp<Index>(groups, 1, most)); };
  if (to.turned == nullptr) {
    // Where rows follow each other without gaps, one long row needs no division.
    if (Source::kFlat && wide && (to.half_row == extent.columns || (to.half == nullptr && to.finite == nullptr)))
      extent = {1, elements};
    const Index pieces = extent.rows * ((extent.columns + kEach - 1) / kEach);
    if (large && Source::kLight)
      flat_kernel<4><<<blocks((pieces + 4 * kThreads - 1) / (4 * kThreads)), kThreads, 0, stream>>>(guard, extent,
                                                                                                    source, to, wide);
    else
      flat_kernel<1>
          <<<blocks((pieces + kThreads - 1) / kThreads), kThreads, 0, stream>>>(guard, extent, source, to, wide);
  } else {
    const auto tiles = [&](Index side) {
      return blocks((extent.rows + side - 1) / side * ((extent.columns + side - 1) / side));
    };
    if (large)
      turning_kernel<64><<<tiles(64), kThreads, 0, stream>>>(guard, extent, source, to, wide);
    else
      turning_kernel<32><<<tiles(32), kThreads, 0, stream>>>(guard, extent, source, to, wide);
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t write_copy(Guard guard, Extent extent, const float* x, Forms to, cudaStream_t stream) {
  return write(guard, extent, Copy{x}, to, stream);
}

cudaError_t write_activated(Guard guard, Extent extent, Act activation, const float* z, Forms to, cudaStream_t stream) {
  return write(guard, extent, Activated{activation, z}, to, stream);
}

cudaError_t write_projected(Guard guard, Extent extent, Projection projection, const float* x, Forms to,
                            cudaStream_t stream) {
  return write(guard, extent, Projected{projection, x}, to, stream);
}

cudaError_t write_delta(Guard guard, Extent extent, Projection projection, const float* x, float scale, Act activation,
                        const float* z, Forms to, cudaStream_t stream) {
  return write(guard, extent, Delta{Projected{projection, x}, scale, activation, z}, to, stream);
}

cudaError_t write_gathered(const CallState* state, bool targets, Extent extent, Forms to, cudaStream_t stream) {
  return write(Guard{}, extent, Gathered{state, targets}, to, stream);
}

cudaError_t write_mse_gap(Guard guard, Extent extent, const float* p, const float* t, const CallState* state, Forms to,
                          float* loss, std::uint32_t* finite, Partials partials, cudaStream_t stream) {
  const auto elements = static_cast<double>(extent.rows * extent.columns);
  const MseGap source{
      p,      t,       Gathered{state, true}, static_cast<float>(elements), static_cast<float>(2.0 / elements), loss,
      finite, partials};
  return write(guard, extent, source, to, stream);
}

}  // namespace weft::cuda
