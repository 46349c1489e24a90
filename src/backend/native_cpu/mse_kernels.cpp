// The mean squared error and its gap, whole vectors at a time. Compiled once for each kind of vectors, by Highway.
#include <cmath>

#include "src/backend/native_cpu/losses.h"
#include "src/backend/native_cpu/step_kernels.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/mse_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

#if WEFT_HAS_BLOCKS

/// The sum of (p - t)^2 in double; gap = factor (p - t) in float.
template <class D>
double squared_errors_by(std::int64_t elements, float scale, const float* p, const float* t, float* gap) {
  const D d;
  const hn::Half<D> half;
  const hn::Repartition<double, D> wide;
  const auto factor = hn::Set(d, scale);
  auto low = hn::Zero(wide), high = low;
  const auto add = [&](const auto& part, std::int64_t at) {
    const auto seen = part.load(p + at), wanted = part.load(t + at);
    if (gap != nullptr) part.store(hn::Mul(factor, hn::Sub(seen, wanted)), gap + at);
    const auto difference = [&](auto a, auto b) { return hn::Sub(hn::PromoteTo(wide, a), hn::PromoteTo(wide, b)); };
    const auto e = difference(hn::LowerHalf(half, seen), hn::LowerHalf(half, wanted));
    const auto f = difference(hn::UpperHalf(half, seen), hn::UpperHalf(half, wanted));
    low = hn::MulAdd(e, e, low);
    high = hn::MulAdd(f, f, high);
  };
  std::int64_t at = 0;
  const Whole<D> whole(lanes_of<D>());
  for (; at + lanes_of<D>() <= elements; at += lanes_of<D>()) add(whole, at);
  if (at < elements) add(First<D>(elements - at), at);
  return hn::GetLane(hn::SumOfLanes(wide, hn::Add(low, high)));
}

/// loss_gap of the mean squared error.
template <class D>
void mse(const Step& step, double) {
  const Instruction& i = step.instruction;
  const std::int64_t elements = i.m * i.n;
  const auto count = static_cast<double>(elements);
  const double loss =
      squared_errors_by<D>(elements, static_cast<float>(2.0 / count), static_cast<const float*>(step.in[0]),
                           static_cast<const float*>(step.in[1]), static_cast<float*>(step.out[0])) /
      count;
  *static_cast<double*>(step.out[1]) = loss;
  *static_cast<std::uint64_t*>(step.out[2]) = std::isfinite(loss) ? 1 : 0;
}

#endif

double squared_errors_lanes(std::int64_t elements, float factor, const float* p, const float* t, float* gap) {
#if WEFT_HAS_BLOCKS
  return squared_errors_by<Wide>(elements, factor, p, t, gap);
#else
  double total = 0.0;
  for (std::int64_t i = 0; i < elements; ++i) {
    const double error = static_cast<double>(p[i]) - static_cast<double>(t[i]);
    if (gap != nullptr) gap[i] = factor * (p[i] - t[i]);
    total += error * error;
  }
  return total;
#endif
}

Kernel mse_kernel_of(std::int64_t m, std::int64_t n) {
#if WEFT_HAS_BLOCKS
  // As over_rows: short rows are read as they were written.
  const bool by_rows = m <= 16;
  if (m * n <= 4 || (by_rows && n == 4)) return mse<Four>;
  if (m * n <= 8 || (by_rows && n == 8)) return mse<Eight>;
  return mse<Wide>;
#else
  static_cast<void>(m), static_cast<void>(n);
  return nullptr;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(mse_kernel_of);
HWY_EXPORT(squared_errors_lanes);

double squared_errors(std::int64_t elements, float factor, const float* p, const float* t, float* gap) {
  return HWY_DYNAMIC_DISPATCH(squared_errors_lanes)(elements, factor, p, t, gap);
}

Kernel mse_kernel(const Instruction& i) { return HWY_DYNAMIC_DISPATCH(mse_kernel_of)(i.m, i.n); }

}  // namespace weft::native_cpu
#endif
