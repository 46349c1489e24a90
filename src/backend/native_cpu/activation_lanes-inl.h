// Activations and their slopes, a vector at a time; compiled once for each kind of vectors.
#if defined(WEFT_NATIVE_CPU_ACTIVATION_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_NATIVE_CPU_ACTIVATION_LANES_INL_H_
#undef WEFT_NATIVE_CPU_ACTIVATION_LANES_INL_H_
#else
#define WEFT_NATIVE_CPU_ACTIVATION_LANES_INL_H_
#endif

#include "src/backend/native_cpu/vectors-inl.h"
#include "weft/activation.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

/// A vector of constants.
template <class D>
HWY_INLINE auto all(D d, float value) {
  return hn::Set(d, value);
}

/// e^x for x <= 0 within 1 ulp, NaN for NaN; 0 where that is not a normal number.
template <class D, class V>
HWY_INLINE V exp_of_negative(D d, V x) {
  // x = n ln 2 + r. Adding 1.5 * 2^23 leaves n in the last bits, from where it is shifted into an exponent.
  constexpr float kRounder = 12582912.0f + 127.0f;
  const hn::Repartition<std::uint32_t, D> bits;
  const V rounded = hn::MulAdd(x, all(d, 1.44269504f), all(d, kRounder));
  const V n = hn::Sub(rounded, all(d, kRounder));
  const V r = hn::MulAdd(n, all(d, -1.42860677e-6f), hn::MulAdd(n, all(d, -0.693145752f), x));
  // 1 + r + r^2 p(r), p of degree 4: 3e-9 from e^r.
  V p = hn::MulAdd(all(d, 0.00138145988f), r, all(d, 0.00836871658f));
  p = hn::MulAdd(p, r, all(d, 0.0416683890f));
  p = hn::MulAdd(p, r, all(d, 0.166665211f));
  p = hn::MulAdd(p, r, all(d, 0.499999940f));
  p = hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), all(d, 1.0f));
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, rounded)));
  return hn::IfThenZeroElse(hn::Lt(x, all(d, -87.0f)), hn::Mul(p, power));  // keeps a NaN
}

/// `computed`, but NaN where z is.
template <class V>
HWY_INLINE V keep_nan(V z, V computed) {
  return hn::IfThenElse(hn::IsNaN(z), z, computed);
}

/// The logistic function and what it lacks to 1, neither of them a difference, so that both keep their digits.
template <class D, class V>
struct Logistic {
  HWY_INLINE Logistic(D d, V z) {
    const V one = all(d, 1.0f), e = exp_of_negative(d, hn::Neg(hn::Abs(z)));
    const V large = hn::Div(one, hn::Add(one, e)), small = hn::Mul(e, large);
    const auto positive = hn::Gt(z, hn::Zero(d));
    value = hn::IfThenElse(positive, large, small);
    rest = hn::IfThenElse(positive, small, large);
  }
  V value, rest;
};

struct LinearLanes {
  template <class D, class V>
  static HWY_INLINE V value(D, V z) {
    return z;
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V) {
    return all(d, 1.0f);
  }
};
struct ReluLanes {
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    return hn::IfThenElse(hn::Le(z, hn::Zero(d)), hn::Zero(d), z);  // keeps a NaN
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElseZero(hn::Gt(z, hn::Zero(d)), all(d, 1.0f));
  }
};
struct Relu2Lanes {
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    const V r = ReluLanes::value(d, z);
    return hn::Mul(r, r);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    const V r = ReluLanes::value(d, z);
    return hn::Add(r, r);
  }
};
struct LeakyReluLanes {
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), z, hn::Mul(all(d, 0.01f), z));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), all(d, 1.0f), all(d, 0.01f));
  }
};
struct SiluLanes {
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    return hn::Mul(z, Logistic<D, V>(d, z).value);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    const Logistic<D, V> s(d, z);
    return hn::Mul(s.value, hn::MulAdd(z, s.rest, all(d, 1.0f)));
  }
};
struct GeluLanes {
  static constexpr float kTwiceRoot = 1.5957691216057308f;  // 2 sqrt(2/pi)
  static constexpr float kCubic = 0.044715f;
  /// (1 + tanh(u)) / 2 is the logistic function of 2u, which keeps its digits where tanh is near -1.
  template <class D, class V>
  static HWY_INLINE Logistic<D, V> gate(D d, V z) {
    const V bend = hn::MulAdd(all(d, kCubic), hn::Mul(z, z), all(d, 1.0f));
    return Logistic<D, V>(d, hn::Mul(hn::Mul(all(d, kTwiceRoot), z), bend));
  }
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    return hn::Mul(z, gate(d, z).value);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    // Beyond 20 the slope is 0 or 1 to the last bit, and z*z would overflow later on.
    const V c = keep_nan(z, hn::Min(hn::Max(z, all(d, -20.0f)), all(d, 20.0f)));
    const Logistic<D, V> s = gate(d, c);
    const V inner = hn::Mul(all(d, kTwiceRoot), hn::MulAdd(all(d, 3.0f * kCubic), hn::Mul(c, c), all(d, 1.0f)));
    return hn::MulAdd(hn::Mul(hn::Mul(c, s.value), s.rest), inner, s.value);
  }
};
struct TanhLanes {
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    const V one = all(d, 1.0f), size = hn::Abs(z), e = exp_of_negative(d, hn::Mul(all(d, -2.0f), size));
    const V large = hn::CopySignToAbs(hn::Div(hn::Sub(one, e), hn::Add(one, e)), z);
    // Where 1 - e would lose digits: z + z^3 p(z^2), 4e-9 from tanh.
    const V square = hn::Mul(z, z);
    V p = hn::MulAdd(all(d, -0.00570498640f), square, all(d, 0.0206390861f));
    p = hn::MulAdd(p, square, all(d, -0.0537397154f));
    p = hn::MulAdd(p, square, all(d, 0.133314416f));
    p = hn::MulAdd(p, square, all(d, -0.333332807f));
    const V small = hn::MulAdd(hn::Mul(z, square), p, z);
    return hn::IfThenElse(hn::Lt(size, all(d, 0.625f)), small, large);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    // 1 - tanh^2 without a difference: 4 e / (1 + e)^2 with e = exp(-2 |z|).
    const V e = exp_of_negative(d, hn::Mul(all(d, -2.0f), hn::Abs(z))), sum = hn::Add(all(d, 1.0f), e);
    return hn::Div(hn::Mul(all(d, 4.0f), e), hn::Mul(sum, sum));
  }
};
struct SigmoidLanes {
  template <class D, class V>
  static HWY_INLINE V value(D d, V z) {
    // A square, since to the left of -87 the values are small but not 0.
    const V root = exp_of_negative(d, hn::Mul(all(d, -0.5f), hn::Abs(z))), e = hn::Mul(root, root);
    const V large = hn::Div(all(d, 1.0f), hn::Add(all(d, 1.0f), e));
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), large, hn::Mul(e, large));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    const Logistic<D, V> s(d, z);
    return hn::Mul(s.value, s.rest);
  }
};

/// y = act(z) over m rows of n contiguous elements. y may be z.
template <class Lanes>
HWY_INLINE void activate_by(std::int64_t m, std::int64_t n, const float* z, float* y) {
  over_rows(m, n, [&](auto d, auto part, std::int64_t i) { part.store(Lanes::value(d, part.load(z + i)), y + i); });
}

/// d = (scale g) * act'(z) over m rows of n contiguous elements. d may be g.
template <class Lanes>
HWY_INLINE void gradient_by(std::int64_t m, std::int64_t n, float scale, const float* g, const float* z, float* d) {
  over_rows(m, n, [&](auto tag, auto part, std::int64_t i) {
    const auto slope = Lanes::slope(tag, part.load(z + i));
    part.store(hn::Mul(hn::Mul(all(tag, scale), part.load(g + i)), slope), d + i);
  });
}

/// Calls f with the lanes of the activation.
template <class F>
auto with_lanes(Activation activation, const F& f) {
  switch (activation) {
    case Activation::kLinear: return f(LinearLanes());
    case Activation::kRelu: return f(ReluLanes());
    case Activation::kRelu2: return f(Relu2Lanes());
    case Activation::kLeakyRelu: return f(LeakyReluLanes());
    case Activation::kSilu: return f(SiluLanes());
    case Activation::kGelu: return f(GeluLanes());
    case Activation::kTanh: return f(TanhLanes());
    case Activation::kSigmoid: break;
  }
  return f(SigmoidLanes());
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard of each target
