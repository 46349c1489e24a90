// Compiled once for each kind of vectors, by Highway.
#include "src/backend/native_cpu/simd.h"

#include <algorithm>

// The newest kinds add nothing that these loops use.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/simd.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>
// After the two above.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A vector of constants.
template <class D>
auto all(D d, float value) {
  return hn::Set(d, value);
}

/// `computed`, but NaN where z is.
template <class V>
V keep_nan(V z, V computed) {
  return hn::IfThenElse(hn::IsNaN(z), z, computed);
}

/// The logistic function and what it lacks to 1, neither of them a difference, so that both keep their digits.
template <class D, class V>
struct Logistic {
  Logistic(D d, V z) {
    const V one = all(d, 1.0f), e = hn::Exp(d, hn::Neg(hn::Abs(z))), sum = hn::Add(one, e);
    const V small = hn::Div(e, sum), large = hn::Div(one, sum);
    const auto positive = hn::Gt(z, hn::Zero(d));
    value = keep_nan(z, hn::IfThenElse(positive, large, small));
    rest = keep_nan(z, hn::IfThenElse(positive, small, large));
  }
  V value, rest;
};

struct LinearLanes {
  template <class D, class V>
  static V value(D, V z) {
    return z;
  }
  template <class D, class V>
  static V slope(D d, V) {
    return all(d, 1.0f);
  }
};
struct ReluLanes {
  template <class D, class V>
  static V value(D d, V z) {
    return hn::IfThenElse(hn::Le(z, hn::Zero(d)), hn::Zero(d), z);  // keeps a NaN
  }
  template <class D, class V>
  static V slope(D d, V z) {
    return hn::IfThenElseZero(hn::Gt(z, hn::Zero(d)), all(d, 1.0f));
  }
};
struct Relu2Lanes {
  template <class D, class V>
  static V value(D d, V z) {
    const V r = ReluLanes::value(d, z);
    return hn::Mul(r, r);
  }
  template <class D, class V>
  static V slope(D d, V z) {
    const V r = ReluLanes::value(d, z);
    return hn::Add(r, r);
  }
};
struct LeakyReluLanes {
  template <class D, class V>
  static V value(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), z, hn::Mul(all(d, 0.01f), z));
  }
  template <class D, class V>
  static V slope(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), all(d, 1.0f), all(d, 0.01f));
  }
};
struct SiluLanes {
  template <class D, class V>
  static V value(D d, V z) {
    return hn::Mul(z, Logistic<D, V>(d, z).value);
  }
  template <class D, class V>
  static V slope(D d, V z) {
    const Logistic<D, V> s(d, z);
    return hn::Mul(s.value, hn::MulAdd(z, s.rest, all(d, 1.0f)));
  }
};
struct GeluLanes {
  static constexpr float kTwiceRoot = 1.5957691216057308f;  // 2 sqrt(2/pi)
  static constexpr float kCubic = 0.044715f;
  /// (1 + tanh(u)) / 2 is the logistic function of 2u, which keeps its digits where tanh is near -1.
  template <class D, class V>
  static Logistic<D, V> gate(D d, V z) {
    const V bend = hn::MulAdd(all(d, kCubic), hn::Mul(z, z), all(d, 1.0f));
    return Logistic<D, V>(d, hn::Mul(hn::Mul(all(d, kTwiceRoot), z), bend));
  }
  template <class D, class V>
  static V value(D d, V z) {
    return hn::Mul(z, gate(d, z).value);
  }
  template <class D, class V>
  static V slope(D d, V z) {
    // Beyond 20 the slope is 0 or 1 to the last bit, and z*z would overflow later on.
    const V c = keep_nan(z, hn::Min(hn::Max(z, all(d, -20.0f)), all(d, 20.0f)));
    const Logistic<D, V> s = gate(d, c);
    const V inner = hn::Mul(all(d, kTwiceRoot), hn::MulAdd(all(d, 3.0f * kCubic), hn::Mul(c, c), all(d, 1.0f)));
    return hn::MulAdd(hn::Mul(hn::Mul(c, s.value), s.rest), inner, s.value);
  }
};
struct TanhLanes {
  template <class D, class V>
  static V value(D d, V z) {
    return keep_nan(z, hn::Tanh(d, z));
  }
  template <class D, class V>
  static V slope(D d, V z) {
    const Logistic<D, V> s(d, hn::Add(z, z));  // 1 - tanh^2 without a difference
    return hn::Mul(all(d, 4.0f), hn::Mul(s.value, s.rest));
  }
};
struct SigmoidLanes {
  template <class D, class V>
  static V value(D d, V z) {
    return Logistic<D, V>(d, z).value;
  }
  template <class D, class V>
  static V slope(D d, V z) {
    const Logistic<D, V> s(d, z);
    return hn::Mul(s.value, s.rest);
  }
};

/// each(d, offset) over whole vectors, then over vectors of four; returns where it stopped, less than four from the
/// end.
template <class Each>
std::int64_t over_vectors(std::int64_t count, const Each& each) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 4> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide)), few = static_cast<std::int64_t>(hn::Lanes(narrow));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) each(wide, i);
  for (; i + few <= count; i += few) each(narrow, i);
  return i;
}

template <class Lanes>
void activate_by(std::int64_t count, const float* z, float* y) {
  const auto one_vector = [](auto d, const float* from, float* to) {
    hn::StoreU(Lanes::value(d, hn::LoadU(d, from)), d, to);
  };
  const std::int64_t done = over_vectors(count, [&](auto d, std::int64_t i) { one_vector(d, z + i, y + i); });
  if (done == count) return;
  float rest[4] = {};
  std::copy(z + done, z + count, rest);
  const hn::CappedTag<float, 4> narrow;
  if (hn::Lanes(narrow) == 4) {
    one_vector(narrow, rest, rest);
  } else {
    for (float& value : rest) one_vector(hn::CappedTag<float, 1>(), &value, &value);
  }
  std::copy(rest, rest + (count - done), y + done);
}

template <class Lanes>
void gradient_by(std::int64_t count, float scale, const float* g, const float* z, float* d) {
  const auto one_vector = [scale](auto tag, const float* gap, const float* from, float* to) {
    const auto slope = Lanes::slope(tag, hn::LoadU(tag, from));
    hn::StoreU(hn::Mul(hn::Mul(all(tag, scale), hn::LoadU(tag, gap)), slope), tag, to);
  };
  const std::int64_t done =
      over_vectors(count, [&](auto tag, std::int64_t i) { one_vector(tag, g + i, z + i, d + i); });
  if (done == count) return;
  float gap[4] = {}, from[4] = {};
  std::copy(g + done, g + count, gap);
  std::copy(z + done, z + count, from);
  const hn::CappedTag<float, 4> narrow;
  if (hn::Lanes(narrow) == 4) {
    one_vector(narrow, gap, from, gap);
  } else {
    for (int i = 0; i < 4; ++i) one_vector(hn::CappedTag<float, 1>(), gap + i, from + i, gap + i);
  }
  std::copy(gap, gap + (count - done), d + done);
}

/// Calls f with the lanes of the activation.
template <class F>
void with_lanes(Activation activation, const F& f) {
  switch (activation) {
    case Activation::kLinear: return f(LinearLanes());
    case Activation::kRelu: return f(ReluLanes());
    case Activation::kRelu2: return f(Relu2Lanes());
    case Activation::kLeakyRelu: return f(LeakyReluLanes());
    case Activation::kSilu: return f(SiluLanes());
    case Activation::kGelu: return f(GeluLanes());
    case Activation::kTanh: return f(TanhLanes());
    case Activation::kSigmoid: return f(SigmoidLanes());
  }
}

void activate_lanes(Activation activation, std::int64_t count, const float* z, float* y) {
  with_lanes(activation, [&](auto lanes) { activate_by<decltype(lanes)>(count, z, y); });
}

void gradient_lanes(Activation activation, std::int64_t count, float scale, const float* g, const float* z, float* d) {
  with_lanes(activation, [&](auto lanes) { gradient_by<decltype(lanes)>(count, scale, g, z, d); });
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
