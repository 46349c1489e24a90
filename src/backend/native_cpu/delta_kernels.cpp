// delta, a kernel for each activation. Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/step_kernels.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/delta_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/activation_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

template <class Lanes>
void delta(const Step& step, double) {
  const Instruction& i = step.instruction;
  gradient_by<Lanes>(i.m, i.n, static_cast<float>(i.scale), static_cast<const float*>(step.in[0]),
                     static_cast<const float*>(step.in[1]), static_cast<float*>(step.out[0]));
}

Kernel delta_kernel_of(Activation activation) {
  return with_lanes(activation, [](auto lanes) -> Kernel { return delta<decltype(lanes)>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(delta_kernel_of);

Kernel delta_kernel(const Instruction& i) { return HWY_DYNAMIC_DISPATCH(delta_kernel_of)(i.activation); }

}  // namespace weft::native_cpu
#endif
