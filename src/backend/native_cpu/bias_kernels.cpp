// What a batch adds to biases: column sums. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/bias.h"
#include "src/backend/native_cpu/step_kernels.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/bias_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

/// What is done with a sum over the batch.
enum class Into { kUpdate, kGradient, kAddedGradient };

template <Into kInto, class D, class Part>
HWY_INLINE void keep_sums(D d, const Part& part, float alpha, hn::Vec<D> sum, float* b) {
  if constexpr (kInto == Into::kUpdate) sum = hn::MulAdd(hn::Set(d, alpha), sum, part.load(b));
  if constexpr (kInto == Into::kAddedGradient) sum = hn::Add(part.load(b), sum);
  part.store(sum, b);
}

/// Some columns of d[m, row_step] into as many of b.
template <Into kInto>
void bias_by(std::int64_t m, std::int64_t columns, float alpha, const float* gap, std::int64_t row_step, float* b) {
  // Four vectors at a time: a sum waits for none of the others.
  constexpr std::int64_t kLanes = lanes_of<Wide>();
  const Whole<Wide> whole(kLanes);
  std::int64_t column = 0;
  for (; column + 4 * kLanes <= columns; column += 4 * kLanes) {
    const float* from = gap + column;
    auto s0 = whole.load(from), s1 = whole.load(from + kLanes);
    auto s2 = whole.load(from + 2 * kLanes), s3 = whole.load(from + 3 * kLanes);
    for (std::int64_t row = 1; row < m; ++row) {
      from += row_step;
      s0 = hn::Add(s0, whole.load(from)), s1 = hn::Add(s1, whole.load(from + kLanes));
      s2 = hn::Add(s2, whole.load(from + 2 * kLanes)), s3 = hn::Add(s3, whole.load(from + 3 * kLanes));
    }
    float* to = b + column;
    keep_sums<kInto>(Wide(), whole, alpha, s0, to), keep_sums<kInto>(Wide(), whole, alpha, s1, to + kLanes);
    keep_sums<kInto>(Wide(), whole, alpha, s2, to + 2 * kLanes);
    keep_sums<kInto>(Wide(), whole, alpha, s3, to + 3 * kLanes);
  }
  over_vectors(columns - column, [&](auto d, const auto& part, std::int64_t at) {
    const float* from = gap + column + at;
    auto sum = part.load(from);
    for (std::int64_t row = 1; row < m; ++row) sum = hn::Add(sum, part.load(from + row * row_step));
    keep_sums<kInto>(d, part, alpha, sum, b + column + at);
  });
}

template <Into kInto>
void bias(const Step& step, double lr) {
  const Instruction& i = step.instruction;
  bias_by<kInto>(i.m, i.n, static_cast<float>(-(lr * i.scale)), static_cast<const float*>(step.in[0]), i.n,
                 static_cast<float*>(step.out[0]));
}

/// Calls f with what the instruction does with its sums.
template <class F>
auto with_into(const Instruction& i, const F& f) {
  if (i.op == Opcode::kBiasUpdate) return f(std::integral_constant<Into, Into::kUpdate>());
  if (i.accumulate) return f(std::integral_constant<Into, Into::kAddedGradient>());
  return f(std::integral_constant<Into, Into::kGradient>());
}

Kernel bias_kernel_of(const Instruction& i) {
  return with_into(i, [](auto into) -> Kernel { return bias<decltype(into)::value>; });
}

void bias_columns_of(const Instruction& i, double lr, const float* d, std::int64_t first, std::int64_t columns,
                     float* b) {
  with_into(i, [&](auto into) {
    bias_by<decltype(into)::value>(i.m, columns, static_cast<float>(-(lr * i.scale)), d + first, i.n, b + first);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(bias_kernel_of);
HWY_EXPORT(bias_columns_of);

Kernel bias_kernel(const Instruction& i) { return HWY_DYNAMIC_DISPATCH(bias_kernel_of)(i); }

void bias_columns(const Instruction& i, double lr, const float* d, std::int64_t first, std::int64_t columns, float* b) {
  HWY_DYNAMIC_DISPATCH(bias_columns_of)(i, lr, d, first, columns, b);
}

}  // namespace weft::native_cpu
#endif
