// Softmax and its cross-entropy. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/losses.h"
#include "src/backend/native_cpu/signals.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/softmax_loops.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "src/backend/native_cpu/activation_lanes-inl.h"
#include "src/backend/native_cpu/reductions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

/// The largest of x[n], or a NaN that is in it, or any other element of a row with a NaN.
template <class D>
HWY_INLINE float largest_of(std::int64_t n, const float* x) {
  const D d;
  auto largest = hn::Set(d, x[0]);
  std::int64_t at = 0;
  for (; at + lanes_of<D>() <= n; at += lanes_of<D>()) largest = hn::Max(hn::LoadU(d, x + at), largest);
  if (at < n) {
    const auto last = First<D>(n - at).load(x + at);
    const auto inside = hn::FirstN(d, static_cast<std::size_t>(n - at));
    largest = hn::Max(hn::IfThenElse(inside, last, largest), largest);
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

/// Calls each(part, at, powers) with e^(x - largest) of all parts of a row; 0 beyond its end.
template <class D, class Each>
HWY_INLINE void over_powers(std::int64_t n, const float* x, float largest, const Each& each) {
  const D d;
  const auto most = hn::Set(d, largest);
  std::int64_t at = 0;
  for (; at + lanes_of<D>() <= n; at += lanes_of<D>())
    each(Whole<D>(0), at, exp_of_negative(d, hn::Sub(hn::LoadU(d, x + at), most)));
  if (at == n) return;
  const First<D> part(n - at);
  const auto inside = hn::FirstN(d, static_cast<std::size_t>(n - at));
  each(part, at, hn::IfThenElseZero(inside, exp_of_negative(d, hn::Sub(part.load(x + at), most))));
}

template <class D>
void softmax_rows(std::int64_t m, std::int64_t n, const float* x, float* y) {
  for (std::int64_t row = 0; row < m; ++row, x += n, y += n) {
    over_powers<D>(n, x, largest_of<D>(n, x),
                   [&](const auto& part, std::int64_t at, auto powers) { part.store(powers, y + at); });
    const double total = sum_of(
        n, [&](const auto& part, std::int64_t at, DoubleVector sum) { return hn::Add(sum, doubles(part, y + at)); });
    const auto divisor = hn::Set(D(), static_cast<float>(total));
    over_parts<D>(n,
                  [&](const auto& part, std::int64_t at) { part.store(hn::Div(part.load(y + at), divisor), y + at); });
  }
}

void softmax_lanes(std::int64_t m, std::int64_t n, const float* x, float* y) {
  if (n < 1) return;
  if (n <= lanes_of<Floats>()) {
    softmax_rows<Floats>(m, n, x, y);
  } else {
    softmax_rows<Wide>(m, n, x, y);
  }
}

/// log x for the x of at least 1 that a row's powers come to, NaN for NaN.
HWY_INLINE DoubleVector log_of(DoubleVector x) { return hn::IfThenElse(hn::IsNaN(x), x, hn::Log(Doubles(), x)); }

/// One row's part of the loss, from the logarithm of its total; makes the gap of its powers, which lie there.
HWY_INLINE DoubleVector finish_row(std::int64_t n, const float* p, const float* t, float largest, double total,
                                   double log_total, double share, float* gap, DoubleVector loss) {
  const Doubles d;
  const auto most = hn::Set(d, static_cast<double>(largest)), log = hn::Set(d, log_total);
  const auto least = hn::Set(d, -27.631021115928547);  // log 1e-12
  const auto inverse = hn::Set(d, 1.0 / total), factor = hn::Set(d, share);
  over_parts<Floats>(n, [&](const auto& part, std::int64_t at) {
    const auto chance = hn::Sub(hn::Sub(doubles(part, p + at), most), log);  // its logarithm
    const auto wanted = doubles(part, t + at);
    loss = hn::MulAdd(wanted, hn::IfThenElse(hn::Lt(chance, least), least, chance), loss);  // keeps a NaN
    if (gap == nullptr) return;
    const auto error = hn::MulSub(doubles(part, gap + at), inverse, wanted);
    part.store(hn::DemoteTo(Floats(), hn::Mul(error, factor)), gap + at);
  });
  return loss;
}

double cross_entropy_lanes(std::int64_t rows, std::int64_t n, std::int64_t batch, const float* p, const float* t,
                           float* gap) {
  if (n < 1) return 0.0;
  constexpr std::int64_t kRows = 32;  // whose logarithms are taken together
  const Doubles d;
  const double share = 1.0 / static_cast<double>(batch);
  auto loss = hn::Zero(d);
  for (std::int64_t first = 0; first < rows; first += kRows) {
    const std::int64_t count = std::min(kRows, rows - first);
    float largest[kRows];
    HWY_ALIGN double totals[kRows], logs[kRows];
    std::fill_n(totals, kRows, 1.0);
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t row = (first + r) * n;
      largest[r] = largest_of<Floats>(n, p + row);
      auto sum = hn::Zero(d);
      over_powers<Floats>(n, p + row, largest[r], [&](const auto& part, std::int64_t at, auto powers) {
        if (gap != nullptr) part.store(powers, gap + row + at);
        sum = hn::Add(sum, hn::PromoteTo(d, powers));
      });
      totals[r] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
    for (std::int64_t r = 0; r < count; r += lanes_of<Doubles>())
      hn::Store(log_of(hn::Load(d, totals + r)), d, logs + r);
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t row = (first + r) * n;
      loss = finish_row(n, p + row, t + row, largest[r], totals[r], logs[r], share,
                        gap == nullptr ? nullptr : gap + row, loss);
    }
  }
  return 0.0 - hn::GetLane(hn::SumOfLanes(d, loss));
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(softmax_lanes);
HWY_EXPORT(cross_entropy_lanes);

void softmax(std::int64_t m, std::int64_t n, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(softmax_lanes)(m, n, x, y);
}
double cross_entropy_of_rows(std::int64_t rows, std::int64_t n, std::int64_t batch, const float* p, const float* t,
                             float* gap) {
  return HWY_DYNAMIC_DISPATCH(cross_entropy_lanes)(rows, n, batch, p, t, gap);
}

}  // namespace weft::native_cpu
#endif
