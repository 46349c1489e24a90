// forward without panels: the weights are read where they lie, once for a few rows. Compiled once for each kind of
// vectors, by Highway.
#include <type_traits>

#include "src/backend/native_cpu/step_kernels.h"
#include "src/backend/native_cpu/transpose.h"
#include "src/backend/native_cpu/vector_product.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/backend/native_cpu/forward_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for each target
#include <hwy/highway.h>

#include "src/backend/native_cpu/activation_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::native_cpu {
namespace HWY_NAMESPACE {

template <class Lanes>
HWY_NOINLINE void activate_all(std::int64_t m, std::int64_t n, const float* z, float* y) {
  activate_by<Lanes>(m, n, z, y);
}

#if WEFT_HAS_BLOCKS
/// A vector of the activation; out of line, so that a product is not compiled for each.
template <class Lanes, class D>
HWY_NOINLINE hn::Vec<D> value_of(D d, hn::Vec<D> z) {
  return Lanes::value(d, z);
}

/// Terms of four dot products of x with rows w(0) to w(3).
template <class D, class Last, class Row>
HWY_INLINE hn::Vec<D> dots(const float* x, const Row& w, const Last& last, std::int64_t whole) {
  const D d;
  const auto rest = last.load(x + whole);
  auto a = hn::Mul(rest, last.load(w(0) + whole)), b = hn::Mul(rest, last.load(w(1) + whole));
  auto c = hn::Mul(rest, last.load(w(2) + whole)), e = hn::Mul(rest, last.load(w(3) + whole));
  for (std::int64_t i = 0; i < whole; i += lanes_of<D>()) {
    const auto terms = hn::LoadU(d, x + i);
    a = hn::MulAdd(terms, hn::LoadU(d, w(0) + i), a);
    b = hn::MulAdd(terms, hn::LoadU(d, w(1) + i), b);
    c = hn::MulAdd(terms, hn::LoadU(d, w(2) + i), c);
    e = hn::MulAdd(terms, hn::LoadU(d, w(3) + i), e);
  }
  return four_in_one(d, a, b, c, e);
}

/// Outputs of a row from `o` on, as many as To has room for or are left: written as one vector, as they are read next.
template <class To, bool kAll, class D, class Last>
HWY_INLINE void outputs(const Instruction& i, std::int64_t o, const float* x, const float* w, const float* b, float* z,
                        float* y, const Last& last, std::int64_t whole) {
  const std::int64_t k = i.k, left = i.n - o;
  const std::conditional_t<kAll, Whole<To>, First<To>> part(left);
  // What lacks to a vector of outputs is the last one again.
  auto sums = fours(To(), D(), [&](std::int64_t q) {
    const auto row = [&](std::int64_t j) { return w + (kAll ? 4 * q + j : std::min(4 * q + j, left - 1)) * k; };
    return dots<D>(x, row, last, whole);
  });
  if (b != nullptr) sums = hn::Add(sums, part.load(b + o));
  part.store(sums, z + o);
  if (i.activation == Activation::kLinear && z == y) return;
  with_lanes(i.activation, [&](auto lanes) { part.store(value_of<decltype(lanes)>(To(), sums), y + o); });
}

/// forward of a few rows, one after the other; D holds a row of W or is the widest.
template <class D, class Last>
void row_forward(const Step& step, double) {
  const Instruction& i = step.instruction;
  const auto *x = static_cast<const float*>(step.in[0]), *w = static_cast<const float*>(step.in[1]);
  const auto* b = static_cast<const float*>(step.in[2]);
  auto *z = static_cast<float*>(step.out[0]), *y = static_cast<float*>(step.out[1]);
  const std::int64_t m = i.m, n = i.n, k = i.k, whole = before_last<D>(k);
  const Last last(k - whole);
  for (std::int64_t row = 0; row < m; ++row, x += k, z += n, y += n) {
    std::int64_t o = 0;
    const auto go = [&](auto to, auto all) {
      outputs<decltype(to), decltype(all)::value, D>(i, o, x, w + o * k, b, z, y, last, whole);
      o += lanes_of<decltype(to)>();
    };
    while (o + lanes_of<Wide>() <= n) go(Wide(), std::true_type());
    if (const std::int64_t left = n - o; left > 8) {
      go(Wide(), std::false_type());
    } else if (left > 4) {
      left == 8 ? go(Eight(), std::true_type()) : go(Eight(), std::false_type());
    } else if (left > 0) {
      left == 4 ? go(Four(), std::true_type()) : go(Four(), std::false_type());
    }
  }
}

/// z[r, o..o+3] for R rows of x, each row of W that is loaded used R times.
template <int R, class D, class Last>
HWY_INLINE void block_dots(std::int64_t n, std::int64_t k, const float* x, const float* const (&w)[4], const Last& last,
                           std::int64_t whole, const float* b, std::int64_t outputs, float* z) {
  const D d;
  hn::Vec<D> sums[R][4];
  for (int r = 0; r < R; ++r) {
    const auto terms = last.load(x + r * k + whole);
    for (int o = 0; o < 4; ++o) sums[r][o] = hn::Mul(terms, last.load(w[o] + whole));
  }
  for (std::int64_t i = 0; i < whole; i += lanes_of<D>()) {
    hn::Vec<D> terms[R];
    for (int r = 0; r < R; ++r) terms[r] = hn::LoadU(d, x + r * k + i);
    for (int o = 0; o < 4; ++o) {
      const auto factors = hn::LoadU(d, w[o] + i);
      for (int r = 0; r < R; ++r) sums[r][o] = hn::MulAdd(terms[r], factors, sums[r][o]);
    }
  }
  const First<Four> some(outputs);
  for (int r = 0; r < R; ++r) {
    auto sum = folded(Four(), d, four_in_one(d, sums[r][0], sums[r][1], sums[r][2], sums[r][3]));
    if (b != nullptr) sum = hn::Add(sum, outputs == 4 ? hn::LoadU(Four(), b) : some.load(b));
    outputs == 4 ? hn::StoreU(sum, Four(), z + r * n) : some.store(sum, z + r * n);
  }
}

/// forward of many rows to narrow results.
template <class D, class Last>
void narrow_forward(const Step& step, double) {
  const Instruction& i = step.instruction;
  const auto *x = static_cast<const float*>(step.in[0]), *w = static_cast<const float*>(step.in[1]);
  const auto* b = static_cast<const float*>(step.in[2]);
  auto *z = static_cast<float*>(step.out[0]), *y = static_cast<float*>(step.out[1]);
  const std::int64_t m = i.m, n = i.n, k = i.k, whole = before_last<D>(k);
  const Last last(k - whole);
  constexpr int kRows = kManyRegisters ? 4 : 2;
  for (std::int64_t o = 0; o < n; o += 4) {
    const std::int64_t outputs = std::min<std::int64_t>(4, n - o);
    const auto at = [&](std::int64_t j) { return w + (o + std::min(j, outputs - 1)) * k; };
    const float* const rows[4] = {at(0), at(1), at(2), at(3)};
    const float* bias = b == nullptr ? nullptr : b + o;
    std::int64_t row = 0;
    for (; row + kRows <= m; row += kRows)
      block_dots<kRows, D>(n, k, x + row * k, rows, last, whole, bias, outputs, z + row * n + o);
    for (; row < m; ++row) block_dots<1, D>(n, k, x + row * k, rows, last, whole, bias, outputs, z + row * n + o);
  }
  if (i.activation == Activation::kLinear && z == y) return;
  with_lanes(i.activation, [&](auto lanes) { activate_all<decltype(lanes)>(m, n, z, y); });
}
#endif

/// forward of many rows, W turned over in the step's scratch.
void batch_forward(const Step& step, double) {
  const Instruction& i = step.instruction;
  auto *z = static_cast<float*>(step.out[0]), *y = static_cast<float*>(step.out[1]);
  transpose(i.n, i.k, static_cast<const float*>(step.in[1]), i.k, step.scratch, i.n);
  vector_product({i.m, i.n, i.k, 1.0f, static_cast<const float*>(step.in[0]), i.k, 1, step.scratch, i.n,
                  static_cast<const float*>(step.in[2]), 0, z, i.n});
  if (i.activation == Activation::kLinear && z == y) return;
  with_lanes(i.activation, [&](auto lanes) { activate_all<decltype(lanes)>(i.m, i.n, z, y); });
}

Kernel forward_kernel_of(const Instruction& i) {
#if WEFT_HAS_BLOCKS
  constexpr std::int64_t kFewRows = 4, kFewColumns = 16, kShortRow = 32;
  if (i.m < kFewRows || (i.m < 2 * kFewRows && i.k <= kShortRow))
    return with_row(i.k, [](auto d, auto last) -> Kernel { return row_forward<decltype(d), decltype(last)>; });
  if (i.n <= kFewColumns || i.m < 2 * kFewRows)
    return with_row(i.k, [](auto d, auto last) -> Kernel { return narrow_forward<decltype(d), decltype(last)>; });
#endif
  return needs_scratch(i) > 0 ? batch_forward : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::native_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::native_cpu {

HWY_EXPORT(forward_kernel_of);

Kernel forward_kernel(const Instruction& i) { return HWY_DYNAMIC_DISPATCH(forward_kernel_of)(i); }

}  // namespace weft::native_cpu
#endif
