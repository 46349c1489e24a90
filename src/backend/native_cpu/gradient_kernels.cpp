// grad_input without panels. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/step_kernels.h"
#include "src/backend/native_cpu/vector_product.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/gradient_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

#if WEFT_HAS_BLOCKS
/// gx[r, C vectors from a column on] (+)= d[r, n] W[n, k] for R rows; U chains of sums hide how long one takes.
template <int R, int C, int U, class D, class Last>
HWY_INLINE void grad_block(const Instruction& i, const float* gap, const float* w, float* gx, const Last& last) {
  const D d;
  constexpr std::int64_t kLanes = lanes_of<D>();
  hn::Vec<D> sums[U][R][C];
  for (int u = 0; u < U; ++u) {
    for (int r = 0; r < R; ++r) {
      for (int c = 0; c < C; ++c) sums[u][r][c] = hn::Zero(d);
    }
  }
  const auto add = [&](int u, std::int64_t o) {
    hn::Vec<D> terms[C];
    for (int c = 0; c < C - 1; ++c) terms[c] = hn::LoadU(d, w + o * i.k + c * kLanes);
    terms[C - 1] = last.load(w + o * i.k + (C - 1) * kLanes);
    for (int r = 0; r < R; ++r) {
      const auto factor = hn::Set(d, gap[r * i.n + o]);
      for (int c = 0; c < C; ++c) sums[u][r][c] = hn::MulAdd(factor, terms[c], sums[u][r][c]);
    }
  };
  std::int64_t o = 0;
  for (; o + U <= i.n; o += U) {
    for (int u = 0; u < U; ++u) add(u, o + u);
  }
  for (; o < i.n; ++o) add(0, o);
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      for (int step = U / 2; step > 0; step /= 2) {
        for (int u = 0; u < step; ++u) sums[u][r][c] = hn::Add(sums[u][r][c], sums[u + step][r][c]);
      }
      float* to = gx + r * i.k + c * kLanes;
      auto sum = sums[0][r][c];
      if (c < C - 1) {
        if (i.accumulate) sum = hn::Add(hn::LoadU(d, to), sum);
        hn::StoreU(sum, d, to);
      } else {
        if (i.accumulate) sum = hn::Add(last.load(to), sum);
        last.store(sum, to);
      }
    }
  }
}

template <int C, class D, class Last>
HWY_INLINE void grad_strip(const Instruction& i, const float* gap, const float* w, float* gx, const Last& last) {
  std::int64_t row = 0;
  for (; row + 4 <= i.m; row += 4)
    grad_block<4, C, C == 1 && kManyRegisters ? 2 : 1, D>(i, gap + row * i.n, w, gx + row * i.k, last);
  for (; row + 2 <= i.m; row += 2) grad_block<2, C, C <= 2 ? 4 / C : 1, D>(i, gap + row * i.n, w, gx + row * i.k, last);
  if (row < i.m) grad_block<1, C, C == 1 ? 8 : C == 2 ? 4 : 2, D>(i, gap + row * i.n, w, gx + row * i.k, last);
}

template <class D, class Last>
void grad_input(const Step& step, double) {
  const Instruction& i = step.instruction;
  const auto *gap = static_cast<const float*>(step.in[0]), *w = static_cast<const float*>(step.in[1]);
  auto* gx = static_cast<float*>(step.out[0]);
  over_strips<D, Last>(i.k, [&](auto vectors, const auto& part, std::int64_t column) {
    grad_strip<decltype(vectors)::value, D>(i, gap, w + column, gx + column, part);
  });
}
#endif

/// grad_input of many rows.
void batch_grad_input(const Step& step, double) {
  const Instruction& i = step.instruction;
  auto* gx = static_cast<float*>(step.out[0]);
  vector_product({i.m, i.k, i.n, 1.0f, static_cast<const float*>(step.in[0]), i.n, 1,
                  static_cast<const float*>(step.in[1]), i.k, i.accumulate ? gx : nullptr, i.k, gx, i.k});
}

Kernel grad_input_kernel_of([[maybe_unused]] const Instruction& i) {
#if WEFT_HAS_BLOCKS
  constexpr std::int64_t kFewRows = 8;
  if (i.m < kFewRows)
    return with_row(i.k, [](auto d, auto last) -> Kernel { return grad_input<decltype(d), decltype(last)>; });
#endif
  return batch_grad_input;
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(grad_input_kernel_of);

Kernel grad_input_kernel(const Instruction& i) { return HWY_DYNAMIC_DISPATCH(grad_input_kernel_of)(i); }

}  // namespace weft::native_cpu
#endif
