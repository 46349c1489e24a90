// Sums over contiguous elements. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/reductions.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/reduction_loops.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/reductions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

double dot_of(std::int64_t count, const float* x, const float* w) { return dot_lanes(count, x, w); }

double squares_of(std::int64_t count, const float* x) {
  return sum_of(count, [=](const auto& part, std::int64_t at, DoubleVector sum) {
    const auto value = doubles(part, x + at);
    return hn::MulAdd(value, value, sum);
  });
}

SquaresAndDot squares_and_dot_of(std::int64_t count, const float* x, const float* w) {
  const Doubles d;
  auto xx = hn::Zero(d), ww = xx, xw = xx;
  over_parts<Floats>(count, [&](const auto& part, std::int64_t at) {
    const auto a = doubles(part, x + at), b = doubles(part, w + at);
    xx = hn::MulAdd(a, a, xx);
    ww = hn::MulAdd(b, b, ww);
    xw = hn::MulAdd(a, b, xw);
  });
  const auto sum = [&](auto lanes) { return hn::GetLane(hn::SumOfLanes(d, lanes)); };
  return {sum(xx), sum(ww), sum(xw)};
}

bool all_finite_of(std::int64_t count, const float* x) {
  // x - x is 0 for a finite x, else NaN, which stays in a sum: no branch for an element.
  const Wide d;
  auto a = hn::Zero(d), b = a;
  const std::int64_t pairs = count / (2 * lanes_of<Wide>()) * (2 * lanes_of<Wide>());
  for (std::int64_t at = 0; at < pairs; at += 2 * lanes_of<Wide>()) {
    const auto first = hn::LoadU(d, x + at), second = hn::LoadU(d, x + at + lanes_of<Wide>());
    a = hn::Add(a, hn::Sub(first, first));
    b = hn::Add(b, hn::Sub(second, second));
  }
  over_parts<Wide>(count - pairs, [&](const auto& part, std::int64_t at) {
    const auto value = part.load(x + pairs + at);
    a = hn::Add(a, hn::Sub(value, value));
  });
  return hn::AllTrue(d, hn::Eq(hn::Add(a, b), hn::Zero(d)));
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(dot_of);
HWY_EXPORT(squares_of);
HWY_EXPORT(squares_and_dot_of);
HWY_EXPORT(all_finite_of);

double dot(std::int64_t count, const float* x, const float* w) { return HWY_DYNAMIC_DISPATCH(dot_of)(count, x, w); }
double squares(std::int64_t count, const float* x) { return HWY_DYNAMIC_DISPATCH(squares_of)(count, x); }
SquaresAndDot squares_and_dot(std::int64_t count, const float* x, const float* w) {
  return HWY_DYNAMIC_DISPATCH(squares_and_dot_of)(count, x, w);
}
bool all_finite(std::int64_t count, const float* x) { return HWY_DYNAMIC_DISPATCH(all_finite_of)(count, x); }

}  // namespace weft::native_cpu
#endif
