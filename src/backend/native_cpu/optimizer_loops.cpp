// Optimizers in vectors. Compiled once for each kind of vectors, by Highway.
#include <cmath>

#include "src/backend/native_cpu/optimizers.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/optimizer_loops.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

/// The parameter after decay, less `rate` times `step`.
template <class D, class V>
HWY_INLINE V moved(D d, const StepFactors& f, V p, float rate, V step) {
  return hn::NegMulAdd(hn::Set(d, rate), step, hn::Mul(hn::Set(d, f.keep), p));
}

void sgd_run(std::int64_t elements, const StepFactors& f, const float* dp, float* p) {
  over_vectors(elements, [&](auto d, const auto& part, std::int64_t i) {
    part.store(moved(d, f, part.load(p + i), f.rate, part.load(dp + i)), p + i);
  });
}

template <bool kNesterov>
void momentum_run(std::int64_t elements, const StepFactors& f, const float* dp, float* p, float* v) {
  over_vectors(elements, [&](auto d, const auto& part, std::int64_t i) {
    const auto m = hn::Set(d, f.momentum), g = part.load(dp + i);
    const auto moment = hn::MulAdd(m, part.load(v + i), g);
    part.store(moment, v + i);
    const auto step = kNesterov ? hn::MulAdd(m, moment, g) : moment;
    part.store(moved(d, f, part.load(p + i), f.rate, step), p + i);
  });
}

void adamw_run(std::int64_t elements, const StepFactors& f, const float* dp, float* p, float* v, float* v2) {
  over_vectors(elements, [&](auto d, const auto& part, std::int64_t i) {
    const auto g = part.load(dp + i);
    const auto mean = hn::MulAdd(hn::Set(d, f.beta1), part.load(v + i), hn::Mul(hn::Set(d, f.rest1), g));
    const auto grown = hn::Mul(hn::Mul(hn::Set(d, f.rest2), g), g);
    const auto square = hn::MulAdd(hn::Set(d, f.beta2), part.load(v2 + i), grown);
    part.store(mean, v + i);
    part.store(square, v2 + i);
    const auto size = hn::Add(hn::Sqrt(hn::Mul(square, hn::Set(d, f.spread))), hn::Set(d, f.epsilon));
    part.store(moved(d, f, part.load(p + i), f.mean_rate, hn::Div(mean, size)), p + i);
  });
}

void apply_lanes(std::int64_t elements, const StepFactors& f, const float* dp, float* p, float* v, float* v2) {
  switch (f.kind) {
    case OptimizerKind::kSgd: return sgd_run(elements, f, dp, p);
    case OptimizerKind::kMomentum: return momentum_run<false>(elements, f, dp, p, v);
    case OptimizerKind::kNesterov: return momentum_run<true>(elements, f, dp, p, v);
    case OptimizerKind::kAdamW: return adamw_run(elements, f, dp, p, v, v2);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(apply_lanes);

StepFactors::StepFactors(const Optimizer& optimizer, double step_rate, const std::uint64_t* step)
    : kind(optimizer.kind),
      rate(static_cast<float>(step_rate)),
      keep(static_cast<float>(1.0 - step_rate * optimizer.weight_decay)),
      momentum(static_cast<float>(optimizer.momentum)) {
  if (kind != OptimizerKind::kAdamW) return;
  // In double: 1 - beta^step loses half its digits in float at the first steps.
  const auto count = static_cast<double>(*step);
  mean_rate = static_cast<float>(step_rate / (1.0 - std::pow(optimizer.beta1, count)));
  spread = static_cast<float>(1.0 / (1.0 - std::pow(optimizer.beta2, count)));
  beta1 = static_cast<float>(optimizer.beta1), rest1 = static_cast<float>(1.0 - optimizer.beta1);
  beta2 = static_cast<float>(optimizer.beta2), rest2 = static_cast<float>(1.0 - optimizer.beta2);
  epsilon = static_cast<float>(optimizer.epsilon);
}

void apply_run(std::int64_t elements, const StepFactors& factors, const float* dp, float* p, float* v, float* v2) {
  HWY_DYNAMIC_DISPATCH(apply_lanes)(elements, factors, dp, p, v, v2);
}

}  // namespace weft::native_cpu
#endif
