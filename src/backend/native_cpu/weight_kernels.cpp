// What a batch adds to weights, without panels. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/step_kernels.h"
#include "src/backend/native_cpu/vector_product.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/weight_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

/// What is done with a sum over the batch.
enum class Into { kUpdate, kGradient, kAddedGradient };

#if WEFT_HAS_BLOCKS
/// alpha d[., o] for M samples, as an outer product takes them.
template <int M, Into kInto, class D>
struct Factors {
  HWY_INLINE Factors(float alpha, const float* gap, std::int64_t n) : scale(hn::Set(D(), alpha)) {
    for (int m = 0; m < M; ++m) values[m] = hn::Set(D(), gap[m * n]);
    if constexpr (kFolded) values[0] = hn::Mul(scale, values[0]);
  }

  /// What w becomes; sample(m) is what sample m has in its place.
  template <class Sample>
  HWY_INLINE hn::Vec<D> applied(const Sample& sample, hn::Vec<D> w) const {
    if constexpr (kFolded) return hn::MulAdd(values[0], sample(0), w);
    auto sum = hn::Mul(values[0], sample(0));
    for (int m = 1; m < M; ++m) sum = hn::MulAdd(values[m], sample(m), sum);
    return kInto == Into::kUpdate ? hn::MulAdd(scale, sum, w) : sum;
  }

  static constexpr bool kFolded = M == 1 && kInto == Into::kUpdate;
  static constexpr bool kReads = kInto == Into::kUpdate;
  hn::Vec<D> scale, values[M];
};

/// R rows of C vectors of W. All are read before one is written: a vector cut short reaches into the row behind it, and
/// reading what has just been written in part takes as long as ten rows.
template <int R, int C, int M, Into kInto, class D, class Last>
HWY_INLINE void outer_rows(std::int64_t n, std::int64_t k, float alpha, const float* gap,
                           const hn::Vec<D> (&samples)[M][C], float* w, const Last& last) {
  constexpr std::int64_t kLanes = lanes_of<D>();
  const Whole<D> whole(kLanes);
  hn::Vec<D> results[R][C];
  for (int r = 0; r < R; ++r) {
    const Factors<M, kInto, D> factors(alpha, gap + r, n);
    for (int c = 0; c < C; ++c) {
      auto before = hn::Zero(D());
      if constexpr (Factors<M, kInto, D>::kReads)
        before = c < C - 1 ? whole.load(w + r * k + c * kLanes) : last.load(w + r * k + c * kLanes);
      results[r][c] = factors.applied([&](int m) { return samples[m][c]; }, before);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C - 1; ++c) whole.store(results[r][c], w + r * k + c * kLanes);
    last.store(results[r][C - 1], w + r * k + (C - 1) * kLanes);
  }
}

/// C vectors of all rows of W, from M samples that stay in registers.
template <int M, int C, Into kInto, class D, class Last>
HWY_INLINE void outer_strip(const Instruction& i, float alpha, const float* gap, const float* x, float* w,
                            const Last& last) {
  constexpr std::int64_t kLanes = lanes_of<D>();
  const std::int64_t n = i.n, k = i.k;
  hn::Vec<D> samples[M][C];
  for (int m = 0; m < M; ++m) {
    for (int c = 0; c < C - 1; ++c) samples[m][c] = hn::LoadU(D(), x + m * k + c * kLanes);
    samples[m][C - 1] = last.load(x + m * k + (C - 1) * kLanes);
  }
  constexpr int kRows = (kManyRegisters ? 8 : 4) / (C > 2 ? 4 : C);
  std::int64_t o = 0;
  for (; o + kRows <= n; o += kRows) outer_rows<kRows, C, M, kInto, D>(n, k, alpha, gap + o, samples, w + o * k, last);
  for (; o < n; ++o) outer_rows<1, C, M, kInto, D>(n, k, alpha, gap + o, samples, w + o * k, last);
}

/// update and weight_grad of M samples. Rows that the registers do not hold are walked one after the other, so that W
/// is read from its start to its end.
template <int M, Into kInto, class D, class Last>
void outer(const Step& step, double lr) {
  const Instruction& i = step.instruction;
  const auto *gap = static_cast<const float*>(step.in[0]), *x = static_cast<const float*>(step.in[1]);
  auto* w = static_cast<float*>(step.out[0]);
  const auto alpha = static_cast<float>(-(lr * i.scale));
  const std::int64_t n = i.n, k = i.k, whole = before_last<D>(k);
  if (k <= 4 * lanes_of<D>()) {
    over_strips<D, Last>(k, [&](auto vectors, const auto& part, std::int64_t column) {
      outer_strip<M, decltype(vectors)::value, kInto, D>(i, alpha, gap, x + column, w + column, part);
    });
    return;
  }
  const Last last(k - whole);
  for (std::int64_t o = 0; o < n; ++o, w += k) {
    const Factors<M, kInto, D> factors(alpha, gap + o, n);
    const auto at = [&](const auto& part, std::int64_t column) {
      const auto sample = [&](int m) { return part.load(x + m * k + column); };
      part.store(factors.applied(sample, part.load(w + column)), w + column);
    };
    const Whole<D> full(lanes_of<D>());
    for (std::int64_t column = 0; column < whole; column += lanes_of<D>()) at(full, column);
    at(last, whole);
  }
}
#endif

/// update and weight_grad of many samples.
template <Into kInto>
void batch_outer(const Step& step, double lr) {
  const Instruction& i = step.instruction;
  auto* w = static_cast<float*>(step.out[0]);
  const float alpha = kInto == Into::kUpdate ? static_cast<float>(-(lr * i.scale)) : 1.0f;
  vector_product({i.n, i.k, i.m, alpha, static_cast<const float*>(step.in[0]), 1, i.n,
                  static_cast<const float*>(step.in[1]), i.k, kInto == Into::kGradient ? nullptr : w, i.k, w, i.k});
}

template <Into kInto>
Kernel outer_kernel_of([[maybe_unused]] const Instruction& i) {
#if WEFT_HAS_BLOCKS
  // Each number of samples multiplies the code (and the time to compile it); from three on the general way is near.
  if constexpr (kInto != Into::kAddedGradient) {
    if (i.m <= 2) {
      return with_row(i.k, [&](auto d, auto last) -> Kernel {
        using D = decltype(d);
        using Last = decltype(last);
        return i.m == 1 ? outer<1, kInto, D, Last> : outer<2, kInto, D, Last>;
      });
    }
  }
#endif
  return batch_outer<kInto>;
}

Kernel weight_kernel_of(const Instruction& i) {
  switch (i.op) {
    case Opcode::kUpdate: return outer_kernel_of<Into::kUpdate>(i);
    case Opcode::kWeightGrad:
      return i.accumulate ? outer_kernel_of<Into::kAddedGradient>(i) : outer_kernel_of<Into::kGradient>(i);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(weight_kernel_of);

Kernel weight_kernel(const Instruction& i) { return HWY_DYNAMIC_DISPATCH(weight_kernel_of)(i); }

}  // namespace weft::native_cpu
#endif
