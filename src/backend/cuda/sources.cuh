// What elementwise kernels make their results of, four neighbours at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/backend/cuda/forms.h"
#include "src/kernels/activations.h"

namespace weft::cuda::sources {

using kernels::Act;
using kernels::Index;

constexpr int kEach = 4;  // neighbours that a thread takes together: 16 bytes

/// a / b for numbers that are not negative, without the price of 64 bits where 32 do.
__device__ inline Index divide(Index a, Index b) {
  const bool small = ((a | b) >> 32) == 0;
  return small ? static_cast<Index>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b)) : a / b;
}

struct Four {
  float at[kEach];
};

/// Elements i to i+3 of x, of which the first `count` are there. wide: i and x allow one access.
__device__ inline Four load(const float* x, Index i, Index count, bool wide) {
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

// A source has
//   start(extent)  what it reads from memory but once,
//   raw(start, alike, row, column, i, count, wide)  what the elements from i = row * columns + column on are made of,
//   make(raw)      these elements.
// That is two steps so that a thread can have many loads under way.
//   kSums     make takes a sum as well, to add to
//   kGathers  start tells whether the extent's rows are samples; `alike` tells raw
//   kFlat     rows do not matter: without gaps between them, all may be one

struct Nothing {};

struct Copy {
  static constexpr bool kSums = false, kGathers = false, kFlat = true;
  using Raw = Four;
  const float* x;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; }
  __device__ Nothing start(const Extent&) const { return {}; }
  __device__ Raw raw(Nothing, bool, Index, Index, Index i, Index count, bool wide) const {
    return load(x, i, count, wide);
  }
  __device__ Four make(const Raw& raw) const { return raw; }
};

/// An activation that the compiler knows: without a choice for each element, a kernel needs fewer instructions and
/// registers.
template <Act activation>
struct Known {
  __device__ operator Act() const { return activation; }
};

template <typename Activation>
struct Activated {
  static constexpr bool kSums = false, kGathers = false, kFlat = true;
  using Raw = Four;
  Activation activation;
  const float* z;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(z) % 16 == 0; }
  __device__ Nothing start(const Extent&) const { return {}; }
  __device__ Raw raw(Nothing, bool, Index, Index, Index i, Index count, bool wide) const {
    return load(z, i, count, wide);
  }
  __device__ Four make(Four y) const {
#pragma unroll
    for (float& each : y.at) each = kernels::activate(activation, each);
    return y;
  }
};

/// A projection onto the same size.
struct Scaled {
  static constexpr bool kSums = false, kGathers = false, kFlat = true;
  using Raw = Four;
  float a;
  const float* x;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; }
  __device__ Nothing start(const Extent&) const { return {}; }
  __device__ Raw raw(Nothing, bool, Index, Index, Index i, Index count, bool wide) const {
    return load(x, i, count, wide);
  }
  __device__ Four make(Four y) const {
#pragma unroll
    for (float& each : y.at) each = a * each;
    return y;
  }
};

struct Resized {
  static constexpr bool kSums = false, kGathers = false, kFlat = true;
  using Raw = Four;
  Projection p;
  const float* x;
  bool aligned() const { return true; }
  __device__ Nothing start(const Extent&) const { return {}; }
  __device__ Raw raw(Nothing, bool, Index, Index, Index i, Index count, bool) const {
    Four y{};
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
  __device__ Four make(const Raw& raw) const { return raw; }
};

template <typename Gap, typename Activation>
struct Delta {
  static constexpr bool kSums = false, kGathers = false, kFlat = true;
  struct Raw {
    Four gap, z;
  };
  Gap gap;
  float scale;
  Activation activation;
  const float* z;
  bool aligned() const { return gap.aligned() && reinterpret_cast<std::uintptr_t>(z) % 16 == 0; }
  __device__ Nothing start(const Extent&) const { return {}; }
  __device__ Raw raw(Nothing start, bool alike, Index row, Index column, Index i, Index count, bool wide) const {
    return {gap.raw(start, alike, row, column, i, count, wide), load(z, i, count, wide)};
  }
  __device__ Four make(const Raw& raw) const {
    Four d = gap.make(raw.gap);
#pragma unroll
    for (int e = 0; e < kEach; ++e) d.at[e] = scale * d.at[e] * kernels::slope(activation, raw.z.at[e]);
    return d;
  }
};

/// The call's samples one behind the other, wherever they lie.
struct Gathered {
  static constexpr bool kSums = false, kGathers = true, kFlat = false;
  using Raw = Four;
  struct Start {
    const float* base;
    const std::int32_t* order;  // of the call's samples; null: one behind the other from `base` on
    Index elements;
    bool alike;
  };
  const CallState* state;
  bool targets;
  bool aligned() const { return true; }  // where rows allow it
  __device__ const float* base() const { return targets ? state->targets : state->inputs; }
  __device__ Start start(const Extent& extent) const {
    const Index elements = targets ? state->target_elements : state->input_elements;
    const Index first = static_cast<Index>(state->call) * state->batch;
    const std::int32_t* const order = state->order;
    return {order == nullptr ? base() + first * elements : base(), order == nullptr ? nullptr : order + first, elements,
            order != nullptr && extent.columns == elements};
  }
  __device__ Raw raw(const Start& at, bool alike, Index row, Index column, Index i, Index count, bool wide) const {
    const bool rows_wide = wide && at.elements % kEach == 0;
    if (alike && wide) return load(at.base, at.order[row] * at.elements + column, count, true);
    if (at.order == nullptr) return load(at.base, i, count, rows_wide);
    if (rows_wide) {
      if (!at.alike) row = divide(i, at.elements), column = i - row * at.elements;  // other rows
      return load(at.base, at.order[row] * at.elements + column, count, true);
    }
    Four four{};
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      if (e >= count) break;
      row = divide(i + e, at.elements);
      four.at[e] = at.base[at.order[row] * at.elements + (i + e - row * at.elements)];
    }
    return four;
  }
  __device__ Four make(const Raw& raw) const { return raw; }
};

/// Target: Copy or Gathered.
template <typename Target, bool kTakesLoss>
struct MseGap {
  static constexpr bool kSums = kTakesLoss, kGathers = Target::kGathers, kFlat = false;
  struct Raw {
    Four p, t;
  };
  const float* p;
  Target target;
  float elements, slope;  // 2 / elements
  float* loss;
  std::uint32_t* finite;
  Partials partials;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && target.aligned(); }
  __device__ auto start(const Extent& extent) const { return target.start(extent); }
  template <typename Start>
  __device__ Raw raw(const Start& start, bool alike, Index row, Index column, Index i, Index count, bool wide) const {
    return {load(p, i, count, wide), target.raw(start, alike, row, column, i, count, wide)};
  }
  __device__ Four make(const Raw& raw, float& mine) const {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const float error = raw.p.at[e] - raw.t.at[e];
      mine = fmaf(error, error, mine);
    }
    return make(raw);
  }
  __device__ Four make(const Raw& raw) const {
    Four gap;
#pragma unroll
    for (int e = 0; e < kEach; ++e) gap.at[e] = slope * (raw.p.at[e] - raw.t.at[e]);
    return gap;
  }
};

}  // namespace weft::cuda::sources
