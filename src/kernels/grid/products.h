// Products of a block of the grid: tiles of weights on tensor cores, rows of a batch by fused multiply-add. Sizes and
// strides are constants, so that nothing of the addresses is left to compute inside a loop.
#pragma once

#include "src/kernels/grid/words.h"

namespace weft::kernels::grid {

WEFT_GRID void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// v as tf32, cut off (rounding takes eight times as long as any other instruction here); exact: as high + low. Three
/// products of such halves are as good as float32's.
template <bool kExact, int N>
WEFT_GRID void split(const float (&v)[N], unsigned (&high)[N], unsigned (&low)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    high[i] = __float_as_uint(v[i]) & 0xffffe000u;
    low[i] = kExact ? __float_as_uint(v[i] - __uint_as_float(high[i])) : 0u;
  }
}

/// store(row, column, v0, v1) with the sums of columns `column` and `column + 1`, for a[rows, inner] b[inner, columns]
/// in shared memory. P: kRows, kColumns, kInner (a multiple of 8, padded with zeros), the strides kARow, kAInner,
/// kBInner, kBColumn, kWide (1, 2 or 4: a warp takes 16 rows of so many times 8 columns) and kExact.
template <class P, class Store>
WEFT_GRID void tile_product(const float* a, const float* b, Store store) {
  constexpr int kAcross = div_up(P::kColumns, 8 * P::kWide), kDown = div_up(P::kRows, 16);
  // Which two of eight inner elements a lane takes is free: those by which lanes touch all banks once, as rows are
  // 4 x odd floats apart.
  constexpr int kLane = P::kBColumn == 1 ? 2 : 1, kOther = P::kBColumn == 1 ? 1 : 4;
  // A product waits for the one before it that it is added to. A warp with few sums makes them of several chains, whose
  // ends are added up; others have enough to do meanwhile.
  constexpr bool kFew = P::kWide == 1;
  constexpr int kParts = P::kExact && kFew ? 3 : 1, kTurns = kFew && P::kInner % 16 == 0 ? 2 : 1;
  const int thread = thread_of(), g = (thread & 31) >> 2, t = (thread & 3) * kLane;
#pragma unroll 1
  for (int w = thread >> 5; w < kAcross * kDown; w += kWarps) {
    const int r0 = w / kAcross * 16 + g, c0 = w % kAcross * 8 * P::kWide;
    const float* a0 = a + min(r0, P::kRows - 1) * P::kARow + t * P::kAInner;
    const float* a1 = a + min(r0 + 8, P::kRows - 1) * P::kARow + t * P::kAInner;
    const float* from[P::kWide];
#pragma unroll
    for (int j = 0; j < P::kWide; ++j)
      from[j] = b + min(c0 + 8 * j + g, P::kColumns - 1) * P::kBColumn + t * P::kBInner;
    float chains[kTurns][kParts][P::kWide][4] = {};
#pragma unroll 2
    for (int first = 0; first < P::kInner; first += 8 * kTurns) {
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        const int k = first + 8 * turn, l = k + kOther;
        const float av[4] = {a0[k * P::kAInner], a1[k * P::kAInner], a0[l * P::kAInner], a1[l * P::kAInner]};
        unsigned a_high[4], a_low[4], b_high[P::kWide][2], b_low[P::kWide][2];
        split<P::kExact>(av, a_high, a_low);
#pragma unroll
        for (int j = 0; j < P::kWide; ++j) {
          const float bv[2] = {from[j][k * P::kBInner], from[j][l * P::kBInner]};
          split<P::kExact>(bv, b_high[j], b_low[j]);
        }
        auto& sums = chains[turn];
        if constexpr (P::kExact) {
#pragma unroll
          for (int j = 0; j < P::kWide; ++j) multiply(sums[1 % kParts][j], a_low, b_high[j]);
#pragma unroll
          for (int j = 0; j < P::kWide; ++j) multiply(sums[2 % kParts][j], a_high, b_low[j]);
        }
#pragma unroll
        for (int j = 0; j < P::kWide; ++j) multiply(sums[0][j], a_high, b_high[j]);
      }
    }
    float sum[P::kWide][4];
#pragma unroll
    for (int j = 0; j < P::kWide; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float part[kTurns];
#pragma unroll
        for (int turn = 0; turn < kTurns; ++turn) {
          part[turn] = chains[turn][0][j][i];
          if constexpr (kParts == 3) part[turn] += chains[turn][1][j][i] + chains[turn][2][j][i];
        }
        sum[j][i] = kTurns == 2 ? part[0] + part[kTurns - 1] : part[0];
      }
#pragma unroll
    for (int j = 0; j < P::kWide; ++j) {
      const int column = c0 + 8 * j + 2 * (thread & 3);
      if (column >= P::kColumns) break;
      if (r0 < P::kRows) store(r0, column, sum[j][0], sum[j][1]);
      if (r0 + 8 < P::kRows) store(r0 + 8, column, sum[j][2], sum[j][3]);
    }
  }
}

/// A block's partial product to the board: rows of kColumns (even).
template <int kColumns>
struct PostPartial {
  float* to;
  unsigned mark;
  WEFT_GRID void operator()(int row, int column, float v0, float v1) const {
    post(to + row * kColumns + column, v0, v1, mark);
  }
};
/// To a tile in shared memory.
template <int kLead, bool kAccumulate>
struct StoreGradient {
  float* to;
  WEFT_GRID void operator()(int row, int column, float v0, float v1) const {
    float2* at = reinterpret_cast<float2*>(to + row * kLead + column);
    const float2 before = kAccumulate ? *at : make_float2(0.0f, 0.0f);
    *at = kAccumulate ? make_float2(before.x + v0, before.y + v1) : make_float2(v0, v1);
  }
};
template <int kLead>
struct StoreDescent {
  float* to;
  float rate;
  WEFT_GRID void operator()(int row, int column, float v0, float v1) const {
    float2* at = reinterpret_cast<float2*>(to + row * kLead + column);
    const float2 before = *at;
    *at = make_float2(fmaf(-rate, v0, before.x), fmaf(-rate, v1, before.y));
  }
};

WEFT_GRID float4 load4(const float* p) { return *reinterpret_cast<const float4*>(p); }
WEFT_GRID void add_product(float4& sum, float a, float4 b) {
  sum.x = fmaf(a, b.x, sum.x), sum.y = fmaf(a, b.y, sum.y), sum.z = fmaf(a, b.z, sum.z), sum.w = fmaf(a, b.w, sum.w);
}
template <int kLanes>
WEFT_GRID float lanes_sum(float v) {
#pragma unroll
  for (int s = kLanes / 2; s > 0; s >>= 1) v += __shfl_xor_sync(~0u, v, s);
  return v;
}

/// store(row, column, sum) of x[rows, kInner] w[kColumns, kInner]^T; kLanes lanes share a sum. Rows of both are padded
/// with zeros to a multiple of 4 and lie at multiples of 4.
template <int kRows, int kColumns, int kInner, int kXLead, int kWLead, int kLanes, class Store>
WEFT_GRID void rows_forward(const float* x, const float* w, Store store) {
  constexpr int kItems = kRows * kColumns, kAtOnce = kThreads / kLanes;
  const int thread = thread_of();
#pragma unroll 2
  for (int first = 0; first < kItems; first += kAtOnce) {
    if (first + (thread >> 5) * (32 / kLanes) >= kItems) break;
    const int item = min(first + thread / kLanes, kItems - 1), part = thread % kLanes;
    const int row = item / kColumns, column = item % kColumns;
    const float *xs = x + row * kXLead, *ws = w + column * kWLead;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 8
    for (int k = 4 * part; k < kInner; k += 4 * kLanes) {
      const float4 u = load4(xs + k), v = load4(ws + k);
      sum.x = fmaf(u.x, v.x, sum.x), sum.y = fmaf(u.y, v.y, sum.y);
      sum.z = fmaf(u.z, v.z, sum.z), sum.w = fmaf(u.w, v.w, sum.w);
    }
    const float total = lanes_sum<kLanes>((sum.x + sum.y) + (sum.z + sum.w));
    if (part == 0 && first + thread / kLanes < kItems) store(row, column, total);
  }
}

/// store(row, column, sum) of a[kInner, rows]^T b[kInner, kColumns], where a's elements are kARow (along rows) and
/// kAInner (along the inner side) apart and rows of b lie at multiples of 4 and are padded. kLanes lanes share four
/// sums.
template <int kRows, int kColumns, int kInner, int kARow, int kAInner, int kBLead, int kLanes, class Store>
WEFT_GRID void rows_product(const float* a, const float* b, Store store) {
  constexpr int kQuads = div_up(kColumns, 4), kItems = kRows * kQuads, kAtOnce = kThreads / kLanes;
  const int thread = thread_of();
#pragma unroll 1
  for (int first = 0; first < kItems; first += kAtOnce) {
    if (first + (thread >> 5) * (32 / kLanes) >= kItems) break;
    const int item = min(first + thread / kLanes, kItems - 1), part = thread % kLanes;
    const int row = item / kQuads, column = item % kQuads * 4;
    const float *as = a + row * kARow, *bs = b + column;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 8
    for (int k = part; k < kInner; k += kLanes) add_product(sum, as[k * kAInner], load4(bs + k * kBLead));
    sum.x = lanes_sum<kLanes>(sum.x), sum.y = lanes_sum<kLanes>(sum.y);
    sum.z = lanes_sum<kLanes>(sum.z), sum.w = lanes_sum<kLanes>(sum.w);
    if (first + thread / kLanes >= kItems) continue;
    const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
    constexpr int kTake = kLanes < 4 ? kLanes : 4;  // lanes that store, 4 / kTake each
    if (part >= kTake) continue;
#pragma unroll
    for (int i = 0; i < 4; i += kTake) {
      float mine = sums[i];
#pragma unroll
      for (int l = 1; l < kTake; ++l) mine = part == l ? sums[i + l] : mine;
      if (column + i + part < kColumns) store(row, column + i + part, mine);
    }
  }
}

/// Column sums of d[kBatch, n] for columns [column, column + columns), a warp a column: store(column, sum).
template <int kBatch, int kStride, class Store>
WEFT_GRID void column_sums(const float* d, int column, int columns, Store store) {
  for (int c = column + warp_of(); c < column + columns; c += kWarps) {
    float v = 0.0f;
#pragma unroll 4
    for (int row = lane_of(); row < kBatch; row += 32) v += __ldcg(d + static_cast<long long>(row) * kStride + c);
    v = warp_sum(v);
    if (lane_of() == 0) store(c, v);
  }
}

/// The same, a thread a sum: for few, whose ends cost more than their products.
template <int kRows, int kColumns, int kInner, int kARow, int kAInner, int kBLead, class Store>
WEFT_GRID void few_rows_product(const float* a, const float* b, Store store) {
#pragma unroll 1
  for (int item = thread_of(); item < kRows * kColumns; item += kThreads) {
    const int row = item / kColumns, column = item % kColumns;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kInner; ++k) sum = fmaf(a[row * kARow + k * kAInner], b[k * kBLead + column], sum);
    store(row, column, sum);
  }
}

}  // namespace weft::kernels::grid
