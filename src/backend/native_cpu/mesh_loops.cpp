// What target_below divides by. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/mesh_targets.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/mesh_loops.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/reductions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

void column_sizes_lanes(std::int64_t n, std::int64_t columns, const float* w, std::int64_t row_step, double* sums) {
  const Doubles d;
  constexpr std::int64_t kLanes = lanes_of<Floats>();
  const auto sizes = [&](const auto& part, const float* from) { return hn::Abs(doubles(part, from)); };
  std::int64_t column = 0;
  const Whole<Floats> whole(kLanes);
  for (; column + 4 * kLanes <= columns; column += 4 * kLanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    const float* from = w + column;
    for (std::int64_t o = 0; o < n; ++o, from += row_step) {
      s0 = hn::Add(s0, sizes(whole, from)), s1 = hn::Add(s1, sizes(whole, from + kLanes));
      s2 = hn::Add(s2, sizes(whole, from + 2 * kLanes)), s3 = hn::Add(s3, sizes(whole, from + 3 * kLanes));
    }
    hn::StoreU(s0, d, sums + column), hn::StoreU(s1, d, sums + column + kLanes);
    hn::StoreU(s2, d, sums + column + 2 * kLanes), hn::StoreU(s3, d, sums + column + 3 * kLanes);
  }
  over_parts<Floats>(columns - column, [&](const auto& part, std::int64_t at) {
    auto sum = hn::Zero(d);
    for (std::int64_t o = 0; o < n; ++o) sum = hn::Add(sum, sizes(part, w + o * row_step + column + at));
    HWY_ALIGN double values[hn::MaxLanes(Doubles())];
    hn::Store(sum, d, values);
    std::copy_n(values, std::min(kLanes, columns - column - at), sums + column + at);
  });
}

void divide_by_sizes_lanes(std::int64_t count, const double* sums, float* values) {
  const Doubles d;
  constexpr std::int64_t kLanes = lanes_of<Floats>();
  const auto quotients = [&](const auto& part, std::int64_t at, DoubleVector sizes) {
    const auto quotient = hn::Div(doubles(part, values + at), sizes);
    const auto kept = hn::IfThenElseZero(hn::Gt(sizes, hn::Set(d, 0.01)), quotient);
    part.store(hn::DemoteTo(Floats(), kept), values + at);
  };
  std::int64_t at = 0;
  for (; at + kLanes <= count; at += kLanes) quotients(Whole<Floats>(kLanes), at, hn::LoadU(d, sums + at));
  if (at == count) return;
  HWY_ALIGN double last[hn::MaxLanes(Doubles())] = {};
  std::copy(sums + at, sums + count, last);
  quotients(First<Floats>(count - at), at, hn::Load(d, last));
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(column_sizes_lanes);
HWY_EXPORT(divide_by_sizes_lanes);

void column_sizes(std::int64_t n, std::int64_t columns, const float* w, std::int64_t row_step, double* sums) {
  HWY_DYNAMIC_DISPATCH(column_sizes_lanes)(n, columns, w, row_step, sums);
}
void divide_by_sizes(std::int64_t count, const double* sums, float* values) {
  HWY_DYNAMIC_DISPATCH(divide_by_sizes_lanes)(count, sums, values);
}

}  // namespace weft::native_cpu
#endif
