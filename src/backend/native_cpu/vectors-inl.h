// Vectors that may be cut short, and sums across them; compiled once for each kind of vectors.
#if defined(WEFT_NATIVE_CPU_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_NATIVE_CPU_VECTORS_INL_H_
#undef WEFT_NATIVE_CPU_VECTORS_INL_H_
#else
#define WEFT_NATIVE_CPU_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<float>;
using Vector = hn::Vec<Wide>;

// Kinds whose masked loads and stores touch nothing beyond the mask.
constexpr bool kMasks = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

// 32 registers rather than 16.
constexpr bool kManyRegisters = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM;

template <class D>
constexpr std::int64_t lanes_of() {
  return static_cast<std::int64_t>(hn::MaxLanes(D()));
}

/// Loads and stores the first `count` elements of a vector; zeros stand behind those loaded.
template <class D>
class First {
 public:
  explicit First(std::int64_t count) : count_(count), mask_(hn::FirstN(D(), static_cast<std::size_t>(count))) {}

  hn::Vec<D> load(const float* from) const {
    if constexpr (kMasks) {
      return hn::MaskedLoad(mask_, D(), from);
    } else {
      HWY_ALIGN float values[hn::MaxLanes(D())] = {};
      std::copy(from, from + count_, values);
      return hn::Load(D(), values);
    }
  }
  void store(hn::Vec<D> v, float* to) const {
    if constexpr (kMasks) {
      hn::BlendedStore(v, mask_, D(), to);
    } else {
      HWY_ALIGN float values[hn::MaxLanes(D())];
      hn::Store(v, D(), values);
      std::copy(values, values + count_, to);
    }
  }

 private:
  std::int64_t count_;
  hn::Mask<D> mask_;
};

/// As First, for a vector that is known to be whole.
template <class D>
class Whole {
 public:
  explicit Whole(std::int64_t) {}
  hn::Vec<D> load(const float* from) const { return hn::LoadU(D(), from); }
  void store(hn::Vec<D> v, float* to) const { hn::StoreU(v, D(), to); }
};

using Eight = hn::CappedTag<float, 8>;
using Four = hn::CappedTag<float, 4>;

/// Calls each(tag, part, at) over `count` elements: with a whole vector at each place, then with what is left.
template <class Each>
HWY_INLINE void over_vectors(std::int64_t count, const Each& each) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Wide()));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) each(Wide(), Whole<Wide>(lanes), i);
  if (i == count) return;
  // Half vectors that are whole are read again sooner than masked ones.
  if (const std::int64_t left = count - i; left == 8 && lanes_of<Eight>() == 8) {
    each(Eight(), Whole<Eight>(left), i);
  } else if (left == 4 && lanes_of<Four>() == 4) {
    each(Four(), Whole<Four>(left), i);
  } else {
    each(Wide(), First<Wide>(left), i);
  }
}

/// As over_vectors for m rows of n elements that lie one behind the other. Short rows of a few samples are taken one by
/// one, as they were written: a vector that spans two stores waits until both have left the processor.
template <class Each>
HWY_INLINE void over_rows(std::int64_t m, std::int64_t n, const Each& each) {
  if (m == 1 || m > 16 || (n != 4 && n != 8)) return over_vectors(m * n, each);
  if (n == 4 && lanes_of<Four>() == 4) {
    for (std::int64_t row = 0; row < m; ++row) each(Four(), Whole<Four>(4), row * 4);
  } else if (n == 8 && lanes_of<Eight>() == 8) {
    for (std::int64_t row = 0; row < m; ++row) each(Eight(), Whole<Eight>(8), row * 8);
  } else {
    over_vectors(m * n, each);
  }
}

// Whether vectors have blocks of four lanes, in a number that the compiler knows.
#undef WEFT_HAS_BLOCKS
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
#define WEFT_HAS_BLOCKS 0
#else
#define WEFT_HAS_BLOCKS 1
#endif

#if WEFT_HAS_BLOCKS
/// Sums over blocks of four lanes: lane i of every block is added to lane i, until To has room for what is left.
template <class To, class D, class V>
HWY_INLINE auto folded(To, D, V v) {
  if constexpr (hn::MaxLanes(D()) > hn::MaxLanes(To())) {
    const hn::Half<D> half;
    return folded(To(), half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return v;
  }
}

/// Four vectors of terms in one: its lane i of each block of four is a part of the sum of vector i.
template <class D, class V>
HWY_INLINE V four_in_one(D d, V a, V b, V c, V e) {
  const hn::Repartition<double, D> pairs;
  const auto ab = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  const auto ce = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e)));
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)),
                 hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)));
}

/// What two four_in_one come to, one behind the other in a vector To of eight lanes.
template <class To, class D, class V>
HWY_INLINE auto two_fours(To to, D d, V first, V second) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::Combine(to, second, first);
  } else {
    const auto a = folded(to, d, first), b = folded(to, d, second);
    return hn::Add(hn::ConcatLowerLower(to, b, a), hn::ConcatUpperUpper(to, b, a));
  }
}

/// What the four_in_one that quad(0), quad(1), ... give come to, one behind the other: as many as To has room for.
template <class To, class D, class Quad>
HWY_INLINE auto fours(To to, D d, const Quad& quad) {
  if constexpr (hn::MaxLanes(To()) == 4) {
    return folded(to, d, quad(0));
  } else if constexpr (hn::MaxLanes(To()) == 8) {
    const auto first = quad(0), second = quad(1);
    return two_fours(to, d, first, second);
  } else if constexpr (hn::MaxLanes(D()) == 16) {
    // Halves, then blocks, are added two vectors at a time.
    const auto q0 = quad(0), q2 = quad(2);
    const auto even = hn::Add(hn::ConcatLowerLower(d, q2, q0), hn::ConcatUpperUpper(d, q2, q0));
    const auto q1 = quad(1), q3 = quad(3);
    const auto odd = hn::Add(hn::ConcatLowerLower(d, q3, q1), hn::ConcatUpperUpper(d, q3, q1));
    return hn::OddEvenBlocks(hn::Add(odd, hn::SwapAdjacentBlocks(odd)), hn::Add(even, hn::SwapAdjacentBlocks(even)));
  } else {
    const hn::Half<To> half;
    const auto q0 = quad(0), q1 = quad(1), q2 = quad(2), q3 = quad(3);
    return hn::Combine(to, two_fours(half, d, q2, q3), two_fours(half, d, q0, q1));
  }
}

/// Elements of a row before its last vector.
template <class D>
HWY_INLINE std::int64_t before_last(std::int64_t count) {
  return (count - 1) / lanes_of<D>() * lanes_of<D>();
}

/// Calls each(C, part, column) over the vectors of a row of k elements, at most four at a time.
template <class D, class Last, class Each>
HWY_INLINE void over_strips(std::int64_t k, const Each& each) {
  constexpr std::int64_t kLanes = lanes_of<D>();
  const std::int64_t whole = before_last<D>(k);
  std::int64_t column = 0;
  for (; column + 4 * kLanes <= whole; column += 4 * kLanes)
    each(std::integral_constant<int, 4>(), Whole<D>(kLanes), column);
  const Last last(k - whole);
  switch ((whole - column) / kLanes) {
    case 0: return each(std::integral_constant<int, 1>(), last, column);
    case 1: return each(std::integral_constant<int, 2>(), last, column);
    case 2: return each(std::integral_constant<int, 3>(), last, column);
    default: return each(std::integral_constant<int, 4>(), last, column);
  }
}

/// Calls f(tag, part) with a tag that holds `length` elements, the widest where none does, and the kind of a row's last
/// vector.
template <class F>
auto with_row(std::int64_t length, const F& f) {
  const auto by_last = [&](auto d) {
    using D = decltype(d);
    return length % lanes_of<D>() == 0 ? f(d, Whole<D>(0)) : f(d, First<D>(1));
  };
  return length <= 4 ? by_last(Four()) : length <= 8 ? by_last(Eight()) : by_last(Wide());
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard of each target
