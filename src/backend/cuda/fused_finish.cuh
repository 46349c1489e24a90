// What becomes of sums, straight from the registers in which tensor cores leave them.
#pragma once

#include <cuda_bf16.h>

#include "src/backend/cuda/blocks.cuh"
#include "src/backend/cuda/fused_job.cuh"
#include "src/backend/cuda/sources.cuh"

namespace weft::cuda::fused {

using kernels::Act;
using sources::Known;

/// 16 rows and 32 columns of the result in a warp's hands: a thread has two neighbours of two rows in each of four
/// groups of columns.
struct Patch {
  static constexpr int kGroups = 4;
  int rows[2];
  int column, step;  // of the first two neighbours, and from group to group
  bool whole;        // lies inside the result, where two neighbours may be accessed together
};
using Pairs = float2[2][Patch::kGroups];

template <typename Action>
__device__ __forceinline__ void each_pair(Action action) {
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int j = 0; j < Patch::kGroups; ++j) action(r, j);
}

/// How many of the two neighbours are there.
__device__ __forceinline__ int there(const Job& job, const Patch& patch, int r, int j) {
  return patch.rows[r] < job.rows ? min(2, job.columns - patch.column - j * patch.step) : 0;
}

__device__ __forceinline__ void load_pairs(Pairs& to, const float* from, const Job& job, const Patch& patch) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float* const row = from + Index{patch.rows[r]} * job.columns + patch.column;
#pragma unroll
    for (int j = 0; j < Patch::kGroups; ++j) {
      if (patch.whole) {
        to[r][j] = *reinterpret_cast<const float2*>(row + j * patch.step);
      } else {
        const int count = there(job, patch, r, j);
        to[r][j].x = count > 0 ? row[j * patch.step] : 0.0f;
        to[r][j].y = count > 1 ? row[j * patch.step + 1] : 0.0f;
      }
    }
  }
}

__device__ __forceinline__ void store_pairs(float* to, const Pairs& from, const Job& job, const Patch& patch) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float* const row = to + Index{patch.rows[r]} * job.columns + patch.column;
#pragma unroll
    for (int j = 0; j < Patch::kGroups; ++j) {
      if (patch.whole) {
        *reinterpret_cast<float2*>(row + j * patch.step) = from[r][j];
      } else {
        const int count = there(job, patch, r, j);
        if (count > 0) row[j * patch.step] = from[r][j].x;
        if (count > 1) row[j * patch.step + 1] = from[r][j].y;
      }
    }
  }
}

/// half_row is a multiple of 8, so two neighbours have room and are aligned.
template <bool kFinite>
__device__ __forceinline__ void store_half(std::uint16_t* to, const Pairs& from, const Job& job, const Patch& patch) {
  const auto finite = [](float v) { return !kFinite || v - v == 0.0f ? v : 0.0f; };
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    std::uint16_t* const row = to + Index{patch.rows[r]} * job.finish.to.half_row + patch.column;
#pragma unroll
    for (int j = 0; j < Patch::kGroups; ++j) {
      const int count = patch.whole ? 2 : there(job, patch, r, j);
      const __nv_bfloat162 two = __floats2bfloat162_rn(finite(from[r][j].x), count > 1 ? finite(from[r][j].y) : 0.0f);
      if (count > 0) *reinterpret_cast<__nv_bfloat162*>(row + j * patch.step) = two;
    }
  }
}

__device__ __forceinline__ void store_forms(const Pairs& from, const Job& job, const Patch& patch) {
  const Forms& to = job.finish.to;
  if (to.plain != nullptr) store_pairs(to.plain, from, job, patch);
  if (to.half != nullptr) store_half<false>(to.half, from, job, patch);
  if (to.finite != nullptr) store_half<true>(to.finite, from, job, patch);
}

/// The sums become activations of themselves, or gaps that go through the slopes at z.
template <Act activation, bool kSlopes>
__device__ __forceinline__ void pass_known(Pairs& sums, const Pairs& z, float scale) {
  constexpr Known<activation> known{};
  const auto pass = [&](float& s, float at) {
    s = kSlopes ? scale * s * kernels::slope(known, at) : kernels::activate(known, s);
  };
  each_pair([&](int r, int j) { pass(sums[r][j].x, z[r][j].x), pass(sums[r][j].y, z[r][j].y); });
}
template <bool kSlopes>
__device__ __forceinline__ void pass(Act activation, Pairs& sums, const Pairs& z, float scale) {
  switch (activation) {
    case Act::kLinear: return pass_known<Act::kLinear, kSlopes>(sums, z, scale);
    case Act::kRelu: return pass_known<Act::kRelu, kSlopes>(sums, z, scale);
    case Act::kRelu2: return pass_known<Act::kRelu2, kSlopes>(sums, z, scale);
    case Act::kLeakyRelu: return pass_known<Act::kLeakyRelu, kSlopes>(sums, z, scale);
    case Act::kSilu: return pass_known<Act::kSilu, kSlopes>(sums, z, scale);
    case Act::kGelu: return pass_known<Act::kGelu, kSlopes>(sums, z, scale);
    case Act::kTanh: return pass_known<Act::kTanh, kSlopes>(sums, z, scale);
    case Act::kSigmoid: return pass_known<Act::kSigmoid, kSlopes>(sums, z, scale);
  }
}

/// What sums are finished with besides themselves, from memory: y or z.
__device__ __forceinline__ const float* reads(const Finish& finish) {
  if (finish.kind == Finish::Kind::kDelta) return finish.z;
  const bool adds =
      finish.kind == Finish::Kind::kDescend || (finish.kind == Finish::Kind::kPlain && finish.accumulates);
  return adds ? finish.y : nullptr;
}
__device__ __forceinline__ void load_given(Pairs& given, const Job& job, const Patch& patch) {
  each_pair([&](int r, int j) { given[r][j] = make_float2(0.0f, 0.0f); });
  if (const float* const from = reads(job.finish); from != nullptr) load_pairs(given, from, job, patch);
}

__device__ __forceinline__ void add_bias(Pairs& sums, const Job& job, const Patch& patch) {
#pragma unroll
  for (int j = 0; j < Patch::kGroups; ++j) {
    const int column = patch.column + j * patch.step;
    const float x = column < job.columns ? job.finish.bias[column] : 0.0f;
    const float y = column + 1 < job.columns ? job.finish.bias[column + 1] : 0.0f;
#pragma unroll
    for (int r = 0; r < 2; ++r) sums[r][j].x += x, sums[r][j].y += y;
  }
}

/// given: as load_given has left it. factor: what kDescend multiplies by.
__device__ __forceinline__ void finish_patch(const Job& job, const Patch& patch, Pairs& sums, const Pairs& given,
                                             float factor) {
  const Finish& finish = job.finish;
  if (finish.bias != nullptr) add_bias(sums, job, patch);
  switch (finish.kind) {
    case Finish::Kind::kPlain:
      each_pair([&](int r, int j) { sums[r][j].x += given[r][j].x, sums[r][j].y += given[r][j].y; });
      return store_pairs(finish.y, sums, job, patch);
    case Finish::Kind::kDescend:
      each_pair([&](int r, int j) {
        sums[r][j].x = fmaf(factor, sums[r][j].x, given[r][j].x);
        sums[r][j].y = fmaf(factor, sums[r][j].y, given[r][j].y);
      });
      store_pairs(finish.y, sums, job, patch);
      break;
    case Finish::Kind::kActivate:
      if (finish.z != nullptr) store_pairs(finish.z, sums, job, patch);
      pass<false>(finish.activation, sums, given, 1.0f);
      break;
    case Finish::Kind::kDelta:
      each_pair([&](int r, int j) { sums[r][j].x *= finish.a, sums[r][j].y *= finish.a; });
      if (finish.y != nullptr) store_pairs(finish.y, sums, job, patch);
      pass<true>(finish.activation, sums, given, finish.scale);
      break;
  }
  store_forms(sums, job, patch);
}

/// The half forms of a tile become 0.
__device__ inline void clear_tile(const Job& job, int top, int rows, int left, int columns) {
  const Forms& to = job.finish.to;
  for (int at = static_cast<int>(threadIdx.x); at < rows * columns; at += static_cast<int>(blockDim.x)) {
    const int row = top + at / columns, column = left + at % columns;
    if (row >= job.rows || column >= job.columns) continue;
    if (to.half != nullptr) to.half[row * to.half_row + column] = 0;
    if (to.finite != nullptr) to.finite[row * to.half_row + column] = 0;
  }
}

__device__ inline float factor_of(const Finish& finish) {
  if (finish.kind != Finish::Kind::kDescend) return 0.0f;
  return -(finish.state->rates[finish.state->call] * finish.scale);
}

/// kGroups warps have a sum each of the same kGroups times 16 rows; afterwards each has the whole sum of its own 16.
/// exchange: (kGroups - 1) * kGroups * 2048 bytes of theirs, aligned to 16. meet: a barrier of theirs.
template <int kGroups, typename Meet>
__device__ __forceinline__ void exchange_sums(float (&sums)[kGroups][4][4], float (&own)[4][4], int group,
                                              float4* exchange, Meet meet) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < kGroups; ++i) {
    if (i == group) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) own[j][e] = sums[i][j][e];
    } else {
      float4* const to = exchange + ((i * (kGroups - 1) + (group < i ? group : group - 1)) * 4) * 32 + lane;
#pragma unroll
      for (int j = 0; j < 4; ++j) to[32 * j] = make_float4(sums[i][j][0], sums[i][j][1], sums[i][j][2], sums[i][j][3]);
    }
  }
  meet();
  const float4* const from = exchange + group * (kGroups - 1) * 4 * 32 + lane;
#pragma unroll
  for (int other = 0; other < kGroups - 1; ++other)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float4 part = from[(other * 4 + j) * 32];
      own[j][0] += part.x, own[j][1] += part.y, own[j][2] += part.z, own[j][3] += part.w;
    }
}

}  // namespace weft::cuda::fused
