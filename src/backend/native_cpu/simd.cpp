// Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/simd.h"

// The newest kinds add nothing that these loops use.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/simd.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/activation_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

void activate_lanes(Activation activation, std::int64_t count, const float* z, float* y) {
  with_lanes(activation, [&](auto lanes) { activate_by<decltype(lanes)>(1, count, z, y); });
}

void gradient_lanes(Activation activation, std::int64_t count, float scale, const float* g, const float* z, float* d) {
  with_lanes(activation, [&](auto lanes) { gradient_by<decltype(lanes)>(1, count, scale, g, z, d); });
}

const char* name_of_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(activate_lanes);
HWY_EXPORT(gradient_lanes);
HWY_EXPORT(name_of_target);

void activate(Activation activation, std::int64_t count, const float* z, float* y) {
  HWY_DYNAMIC_DISPATCH(activate_lanes)(activation, count, z, y);
}

void activation_gradient(Activation activation, std::int64_t count, float scale, const float* g, const float* z,
                         float* d) {
  HWY_DYNAMIC_DISPATCH(gradient_lanes)(activation, count, scale, g, z, d);
}

std::string simd_name() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }

}  // namespace weft::native_cpu
#endif
