// Tiles: products of matrices in a block's own memory, each thread a few elements in registers. All sizes are known
// when compiling: this is what generated programs are made of (src/generate).
#pragma once

#include "src/kernels/dialect.h"

#if defined(__CUDACC__)
#define WEFT_LANES 32  // threads that move together, a warp
#define WEFT_INLINE __device__ __forceinline__
#define WEFT_UNROLL _Pragma("unroll")
#define WEFT_UNROLL_BY(n) _Pragma(WEFT_TEXT(unroll n))
#define WEFT_TEXT(text) #text
#define WEFT_FROM_LANE(value, distance) __shfl_xor_sync(0xffffffffu, value, distance)
#elif defined(__METAL_VERSION__)
#define WEFT_INLINE inline
#define WEFT_UNROLL _Pragma("clang loop unroll(full)")
#define WEFT_UNROLL_BY(n) _Pragma(WEFT_TEXT(clang loop unroll_count(n)))
#define WEFT_TEXT(text) #text
#ifndef WEFT_LANES  // 1: no thread knows of another but by barriers
#define WEFT_LANES 32
#endif
#if WEFT_LANES == 1
#define WEFT_FROM_LANE(value, distance) (value)
#else
#define WEFT_FROM_LANE(value, distance) simd_shuffle_xor(value, static_cast<ushort>(distance))
#endif
#else  // host C++
#define WEFT_INLINE inline
#define WEFT_UNROLL
#define WEFT_UNROLL_BY(n)
#ifndef WEFT_LANES  // one thread is the whole block
#define WEFT_LANES 1
#define WEFT_FROM_LANE(value, distance) (value)
#endif
#endif

namespace weft {
namespace kernels {

/// A thread of the block; its warp, and its place there.
struct Thread {
  int rank, warp, lane;
};

/// Neighbours in a row of a matrix, in registers; as a variable, and as part of one.
template <int N>
struct Vec {
  float at[N];
};
template <int N>
using Floats = float[N];

template <int N>
WEFT_INLINE void load(WEFT_SHARED(const float) from, WEFT_OWN(Floats<N>) v) {
#if defined(__CUDACC__)
  if constexpr (N == 4) {
    const float4 quad = *reinterpret_cast<const float4*>(from);
    v[0] = quad.x, v[1] = quad.y, v[2] = quad.z, v[3] = quad.w;
    return;
  }
#endif
  WEFT_UNROLL for (int i = 0; i < N; ++i) v[i] = from[i];
}

/// Where `left` elements of the row are left to be written.
template <int N, bool whole>
WEFT_INLINE void store(WEFT_SHARED(float) to, WEFT_ARG(Vec<N>) v, int left) {
#if defined(__CUDACC__)
  if constexpr (N == 4 && whole) {
    *reinterpret_cast<float4*>(to) = make_float4(v.at[0], v.at[1], v.at[2], v.at[3]);
    return;
  }
#endif
  WEFT_UNROLL for (int i = 0; i < N; ++i) {
    if (whole || i < left) to[i] = v.at[i];
  }
}

template <int N>
WEFT_INLINE void multiply_add(WEFT_OWN(Vec<N>) sum, float a, WEFT_ARG(Vec<N>) b) {
  WEFT_UNROLL for (int i = 0; i < N; ++i) sum.at[i] = fma(a, b.at[i], sum.at[i]);
}

/// How a block shares a product among its threads. The result has `rows` x `cols` elements, each of them a sum of
/// `inner` terms. A thread takes tile_rows x tile_cols of them; 2^split lanes of a warp share their sums and 2^across
/// lanes lie side by side. Warps take warp tiles in turn, beginning with warp `first` of `warps`.
template <int rows_, int cols_, int inner_, int tile_rows_, int tile_cols_, int split_, int across_, int first_,
          int warps_>
struct Plan {
  WEFT_STATIC int rows = rows_, cols = cols_, inner = inner_, tile_rows = tile_rows_, tile_cols = tile_cols_;
  WEFT_STATIC int parts = 1 << split_, lane_cols = 1 << across_, lane_rows = WEFT_LANES >> (split_ + across_);
  WEFT_STATIC int warp_rows = lane_rows * tile_rows, warp_cols = lane_cols * tile_cols;
  WEFT_STATIC int wide = (cols + warp_cols - 1) / warp_cols, tiles = (rows + warp_rows - 1) / warp_rows * wide;
  WEFT_STATIC int first = first_, warps = warps_;
  // A tile that sticks out reads something valid and writes nothing.
  WEFT_STATIC bool exact = rows % warp_rows == 0 && cols % warp_cols == 0;
};

/// A thread's place in a warp tile. Lanes i and i^1 read the same columns, i and i^2 the same rows: a 16-byte load of a
/// warp then takes two cycles of shared memory instead of four. Lanes that share sums differ in the high bits.
template <typename P>
struct Spot {
  int part, row, col;
  WEFT_INLINE explicit Spot(int lane) {
    constexpr int kSharers = WEFT_LANES / P::parts;
    const int q = lane % kSharers;
    part = lane / kSharers;
    row = P::lane_rows == 1 ? 0 : q % 2 + q / (2 * P::lane_cols) * 2;
    col = P::lane_rows == 1 ? q : q / 2 % P::lane_cols;
  }
};

template <typename P, int N>
WEFT_INLINE void add_parts(WEFT_OWN(Vec<N>) sum) {
  WEFT_UNROLL for (int distance = WEFT_LANES / 2; distance * P::parts >= WEFT_LANES && distance > 0; distance /= 2) {
    WEFT_UNROLL for (int i = 0; i < N; ++i) sum.at[i] += WEFT_FROM_LANE(sum.at[i], distance);
  }
}

/// body(tile) for the warp tiles of this warp.
template <typename P, typename Body>
WEFT_INLINE void each_tile(WEFT_ARG(Thread) me, WEFT_ARG(Body) body) {
  int tile = me.warp - P::first;
  if (P::first > 0 && tile < 0) tile += P::warps;
  if (P::tiles <= P::warps) {
    if (P::tiles == P::warps || tile < P::tiles) body(tile);
  } else {
    for (; tile < P::tiles; tile += P::warps) body(tile);
  }
}

template <typename P, int K, int ldx, int ldw, typename Part>
struct ForwardTile {
  WEFT_ARG(Thread) me;
  WEFT_SHARED(const float) x;
  WEFT_SHARED(const float) w;
  WEFT_ARG(Part) part;

  WEFT_INLINE void operator()(int tile) const {
    constexpr int R = P::tile_rows, C = P::tile_cols;
    const Spot<P> spot(me.lane);
    // Rows and columns of a thread are a lane's step apart, so that neighbours read neighbouring rows.
    const int row0 = tile / P::wide * P::warp_rows + spot.row, col0 = tile % P::wide * P::warp_cols + spot.col;
    int xs[R], ws[C];
    WEFT_UNROLL for (int r = 0; r < R; ++r) xs[r] = at_most(row0 + r * P::lane_rows, P::rows) * ldx + spot.part * K;
    WEFT_UNROLL for (int c = 0; c < C; ++c) ws[c] = at_most(col0 + c * P::lane_cols, P::cols) * ldw + spot.part * K;
    // Only the thread that writes an element looks at what belongs to it.
    typename Part::template Early<1> early[R][C];
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      WEFT_UNROLL for (int c = 0; c < C; ++c) {
        const int row = row0 + r * P::lane_rows, col = col0 + c * P::lane_cols;
        if (writes(spot, row, col)) part.template early<1>(row, col, early[r][c]);
      }
    }
    Vec<C> sums[R][K];
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      WEFT_UNROLL for (int j = 0; j < K; ++j) { WEFT_UNROLL for (int c = 0; c < C; ++c) sums[r][j].at[c] = 0.0f; }
    }
    constexpr int kSteps = (P::inner + K - 1) / K, kMine = (kSteps + P::parts - 1) / P::parts;
    WEFT_UNROLL_BY(8) for (int i = 0; i < kMine; ++i) {
      const int k = i * P::parts * K;
      if (kSteps % P::parts != 0 && i * P::parts + spot.part >= kSteps) break;
      Vec<K> a[R], b[C];
      WEFT_UNROLL for (int r = 0; r < R; ++r) load(x + xs[r] + k, a[r].at);
      WEFT_UNROLL for (int c = 0; c < C; ++c) load(w + ws[c] + k, b[c].at);
      WEFT_UNROLL for (int r = 0; r < R; ++r) {
        WEFT_UNROLL for (int c = 0; c < C; ++c) {
          WEFT_UNROLL for (int j = 0; j < K; ++j) sums[r][j].at[c] = fma(a[r].at[j], b[c].at[j], sums[r][j].at[c]);
        }
      }
    }
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      Vec<C> sum;
      WEFT_UNROLL for (int c = 0; c < C; ++c) sum.at[c] =
          K == 4 ? (sums[r][0].at[c] + sums[r][1 % K].at[c]) + (sums[r][2 % K].at[c] + sums[r][3 % K].at[c])
                 : sums[r][0].at[c];
      add_parts<P>(sum);
      WEFT_UNROLL for (int c = 0; c < C; ++c) {
        const int row = row0 + r * P::lane_rows, col = col0 + c * P::lane_cols;
        const Vec<1> one{{sum.at[c]}};
        if (writes(spot, row, col)) part.template late<1>(row, col, early[r][c], one);
      }
    }
  }

  static WEFT_INLINE bool writes(WEFT_ARG(Spot<P>) spot, int row, int col) {
    return (P::parts == 1 || spot.part == 0) && (P::exact || (row < P::rows && col < P::cols));
  }
  static WEFT_INLINE int at_most(int i, int count) { return P::exact || i < count ? i : count - 1; }
};

/// part.late(row, col, ., sum) for every element of x[rows, inner] w[cols, inner]^T; K = 4 takes the inner index four
/// at a time: rows of x and w then are padded with zeros to a multiple of that, and aligned.
template <typename P, int K, int ldx, int ldw, typename Part>
WEFT_INLINE void forward_tiles(WEFT_ARG(Thread) me, WEFT_SHARED(const float) x, WEFT_SHARED(const float) w,
                               WEFT_ARG(Part) part) {
  const ForwardTile<P, K, ldx, ldw, Part> body{me, x, w, part};
  each_tile<P>(me, body);
}

template <typename P, int N, int K, int ldd, int ldw, typename Part>
struct GradInputTile {
  WEFT_ARG(Thread) me;
  WEFT_SHARED(const float) d;
  WEFT_SHARED(const float) w;
  WEFT_ARG(Part) part;

  WEFT_INLINE void operator()(int tile) const {
    constexpr int R = P::tile_rows;
    static_assert(P::tile_cols == N, "columns are taken side by side");
    const Spot<P> spot(me.lane);
    const int row0 = tile / P::wide * P::warp_rows + spot.row, col = tile % P::wide * P::warp_cols + spot.col * N;
    const bool inside = P::exact || col < P::cols;
    const int safe = inside ? col : 0;
    int ds[R];
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      const int row = row0 + r * P::lane_rows;
      ds[r] = P::exact || row < P::rows ? row : P::rows - 1;
    }
    typename Part::template Early<N> early[R];
    bool mine[R];  // to write
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      mine[r] = (P::parts == 1 || spot.part == 0) && inside && (P::exact || row0 + r * P::lane_rows < P::rows);
      if (mine[r]) part.template early<N>(ds[r], col, early[r]);
    }
    Vec<N> sums[R];
    WEFT_UNROLL for (int r = 0; r < R; ++r) { WEFT_UNROLL for (int j = 0; j < N; ++j) sums[r].at[j] = 0.0f; }
    constexpr int kSteps = (P::inner + K - 1) / K, kMine = (kSteps + P::parts - 1) / P::parts;
    WEFT_SHARED(const float) ws = w + spot.part * K * ldw + safe;
    WEFT_SHARED(const float) dk = d + spot.part * K;
    WEFT_UNROLL_BY(4) for (int i = 0; i < kMine; ++i) {
      if (kSteps % P::parts != 0 && i * P::parts + spot.part >= kSteps) break;
      Vec<K> a[R];
      Vec<N> b[K];
      WEFT_UNROLL for (int r = 0; r < R; ++r) load(dk + ds[r] * ldd + i * P::parts * K, a[r].at);
      WEFT_UNROLL for (int k = 0; k < K; ++k) load(ws + (i * P::parts * K + k) * ldw, b[k].at);
      WEFT_UNROLL for (int r = 0; r < R; ++r) {
        WEFT_UNROLL for (int k = 0; k < K; ++k) multiply_add(sums[r], a[r].at[k], b[k]);
      }
    }
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      add_parts<P>(sums[r]);
      if (mine[r]) part.template late<N>(row0 + r * P::lane_rows, col, early[r], sums[r]);
    }
  }
};

/// part.late(row, col, ., sums) for every N elements of d[rows, inner] w[inner, cols]; with K = 4 rows of d are padded
/// with zeros, and w with rows of zeros; with N = 4 rows of w are padded.
template <typename P, int N, int K, int ldd, int ldw, typename Part>
WEFT_INLINE void grad_input_tiles(WEFT_ARG(Thread) me, WEFT_SHARED(const float) d, WEFT_SHARED(const float) w,
                                  WEFT_ARG(Part) part) {
  const GradInputTile<P, N, K, ldd, ldw, Part> body{me, d, w, part};
  each_tile<P>(me, body);
}

template <typename P, int N, int ldd, int ldx, typename Part>
struct GradientTile {
  WEFT_ARG(Thread) me;
  WEFT_SHARED(const float) d;
  WEFT_SHARED(const float) x;
  WEFT_ARG(Part) part;

  WEFT_INLINE void operator()(int tile) const {
    constexpr int R = P::tile_rows;
    static_assert(P::tile_cols == N, "columns are taken side by side");
    const Spot<P> spot(me.lane);
    const int row0 = (tile / P::wide * P::lane_rows + spot.row) * R;
    const int col = tile % P::wide * P::warp_cols + spot.col * N;
    const bool inside = P::exact || (row0 < P::rows && col < P::cols);
    const int from_row = inside ? row0 : 0, from_col = inside ? col : 0;
    Vec<N> sums[R];
    typename Part::template Early<N> early[R];
    bool mine[R];  // to write
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      mine[r] = (P::parts == 1 || spot.part == 0) && inside && (P::exact || row0 + r < P::rows);
      if (mine[r]) part.template early<N>(row0 + r, col, early[r]);
      WEFT_UNROLL for (int j = 0; j < N; ++j) sums[r].at[j] = 0.0f;
    }
    constexpr int kMine = (P::inner + P::parts - 1) / P::parts;
    WEFT_SHARED(const float) ds = d + spot.part * ldd + from_row;
    WEFT_SHARED(const float) xs = x + spot.part * ldx + from_col;
    WEFT_UNROLL_BY(8) for (int i = 0; i < kMine; ++i) {
      if (P::inner % P::parts != 0 && i * P::parts + spot.part >= P::inner) break;
      Vec<N> b;
      load(xs + i * P::parts * ldx, b.at);
      Vec<R> a;
      load(ds + i * P::parts * ldd, a.at);
      WEFT_UNROLL for (int r = 0; r < R; ++r) multiply_add(sums[r], a.at[r], b);
    }
    WEFT_UNROLL for (int r = 0; r < R; ++r) {
      add_parts<P>(sums[r]);
      if (mine[r]) part.template late<N>(row0 + r, col, early[r], sums[r]);
    }
  }
};

/// part.late(row, col, ., sums) for every N elements of d[inner, rows]^T x[inner, cols], tile_rows (1 or 4) rows at a
/// time; rows of d are padded to that and aligned, with N = 4 rows of x as well.
template <typename P, int N, int ldd, int ldx, typename Part>
WEFT_INLINE void gradient_tiles(WEFT_ARG(Thread) me, WEFT_SHARED(const float) d, WEFT_SHARED(const float) x,
                                WEFT_ARG(Part) part) {
  const GradientTile<P, N, ldd, ldx, Part> body{me, d, x, part};
  each_tile<P>(me, body);
}

/// part.late(row, col, ., 0) for every N elements of a matrix. Of the plan only sizes, tile_cols (N), first and warps
/// count; a warp tile is a warp's worth of pieces.
template <typename P, int N, typename Part>
struct ElementTile {
  WEFT_ARG(Thread) me;
  WEFT_ARG(Part) part;

  WEFT_INLINE void operator()(int tile) const {
    constexpr int kWide = (P::cols + N - 1) / N;
    const int item = tile * WEFT_LANES + me.lane, row = item / kWide, col = item % kWide * N;
    if (P::rows * kWide % WEFT_LANES != 0 && item >= P::rows * kWide) return;
    Vec<N> none;
    WEFT_UNROLL for (int j = 0; j < N; ++j) none.at[j] = 0.0f;
    typename Part::template Early<N> early;
    part.template early<N>(row, col, early);
    part.template late<N>(row, col, early, none);
  }
};

/// The plan of elementwise work.
template <int rows_, int cols_, int N, int first_, int warps_>
struct Elements {
  WEFT_STATIC int rows = rows_, cols = cols_, first = first_, warps = warps_;
  WEFT_STATIC int tiles = (rows * ((cols + N - 1) / N) + WEFT_LANES - 1) / WEFT_LANES;
};

template <typename P, int N, typename Part>
WEFT_INLINE void element_tiles(WEFT_ARG(Thread) me, WEFT_ARG(Part) part) {
  const ElementTile<P, N, Part> body{me, part};
  each_tile<P>(me, body);
}

/// The sum of `mine` over a warp, in one order.
WEFT_INLINE float warp_sum(float mine) {
  WEFT_UNROLL for (int distance = WEFT_LANES / 2; distance > 0; distance /= 2) mine += WEFT_FROM_LANE(mine, distance);
  return mine;
}

}  // namespace kernels
}  // namespace weft
