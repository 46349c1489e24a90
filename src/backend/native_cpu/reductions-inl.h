// Sums of floats in vectors of doubles; compiled once for each kind of vectors.
#if defined(WEFT_NATIVE_CPU_REDUCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_NATIVE_CPU_REDUCTIONS_INL_H_
#undef WEFT_NATIVE_CPU_REDUCTIONS_INL_H_
#else
#define WEFT_NATIVE_CPU_REDUCTIONS_INL_H_
#endif

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;  // as many
using DoubleVector = hn::Vec<Doubles>;

/// Floats from `from` on, as doubles.
template <class Part>
HWY_INLINE DoubleVector doubles(const Part& part, const float* from) {
  return hn::PromoteTo(Doubles(), part.load(from));
}

/// Calls each(part, at) with a whole vector of D at each place of `count` elements, then with what is left.
template <class D, class Each>
HWY_INLINE void over_parts(std::int64_t count, const Each& each) {
  std::int64_t at = 0;
  for (; at + lanes_of<D>() <= count; at += lanes_of<D>()) each(Whole<D>(0), at);
  if (at < count) each(First<D>(count - at), at);
}

/// The sum that add(part, at, sum) adds to, over `count` elements, in four chains. A part cut short is of zeros.
template <class Add>
HWY_INLINE double sum_of(std::int64_t count, const Add& add) {
  constexpr std::int64_t kLanes = lanes_of<Floats>();
  const Whole<Floats> whole(kLanes);
  const Doubles d;
  auto a = hn::Zero(d), b = a, c = a, e = a;
  std::int64_t at = 0;
  for (; at + 4 * kLanes <= count; at += 4 * kLanes) {
    a = add(whole, at, a), b = add(whole, at + kLanes, b);
    c = add(whole, at + 2 * kLanes, c), e = add(whole, at + 3 * kLanes, e);
  }
  for (; at + kLanes <= count; at += kLanes) a = add(whole, at, a);
  if (at < count) b = add(First<Floats>(count - at), at, b);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

HWY_INLINE double dot_lanes(std::int64_t count, const float* x, const float* w) {
  return sum_of(count, [=](const auto& part, std::int64_t at, DoubleVector sum) {
    return hn::MulAdd(doubles(part, x + at), doubles(part, w + at), sum);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard of each target
