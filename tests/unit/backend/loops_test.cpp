// The vector loops of native_cpu against plain loops in double, in every kind of vectors that this machine has: odd
// sizes, numbers that are not finite, and nothing written beyond the result.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include <cmath>
#include <vector>

#include "src/backend/native_cpu/bias.h"
#include "src/backend/native_cpu/losses.h"
#include "src/backend/native_cpu/mesh_targets.h"
#include "src/backend/native_cpu/optimizers.h"
#include "src/backend/native_cpu/team_loops.h"
#include "tests/unit/backend/loops.h"

namespace weft::test {
namespace {

INSTANTIATE_TEST_SUITE_P(EveryKind, Loops, testing::ValuesIn(kinds()), name_of_kind);

TEST_P(Loops, OptimizersFollowTheirFormulas) {
  for (const OptimizerKind kind :
       {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kNesterov, OptimizerKind::kAdamW}) {
    for (const std::uint64_t step : {1U, 2U, 1000U, 100000U}) {
      for (const std::int64_t n : kSizes) {
        const Optimizer o{.kind = kind, .momentum = 0.75, .weight_decay = 0.25};
        constexpr double kRate = 0.125;
        Numbers dp(n, 1), p(n, 2), v(n, 3), v2(n, 4);
        for (std::int64_t i = 0; i < n; ++i) v2.at(i) = std::abs(v2.at(i)) + 0.125F;
        const Numbers p0 = p, v0 = v, s0 = v2;
        native_cpu::apply(one, n, {o, kRate, &step}, dp.data(), p.data(), v.data(), v2.data());
        for (std::int64_t i = 0; i < n; ++i) {
          const double keep = 1.0 - kRate * o.weight_decay, count = static_cast<double>(step);
          double mean = v0[i], square = s0[i], moved = dp[i];
          if (kind == OptimizerKind::kMomentum) moved = mean = 0.75 * mean + dp[i];
          if (kind == OptimizerKind::kNesterov) mean = 0.75 * mean + dp[i], moved = dp[i] + 0.75 * mean;
          if (kind == OptimizerKind::kAdamW) {
            mean = o.beta1 * mean + (1.0 - o.beta1) * dp[i];
            square = o.beta2 * square + (1.0 - o.beta2) * dp[i] * dp[i];
            moved = mean / (1.0 - std::pow(o.beta1, count)) /
                    (std::sqrt(square / (1.0 - std::pow(o.beta2, count))) + o.epsilon);
          }
          ASSERT_NEAR(v[i], mean, allowed(OpClass::kElementwise, 2.0)) << n << " at " << i;
          ASSERT_NEAR(v2[i], square, allowed(OpClass::kElementwise, 2.0)) << n << " at " << i;
          ASSERT_NEAR(p[i], keep * p0[i] - kRate * moved, allowed(OpClass::kElementwise, 2.0)) << n << " at " << i;
        }
      }
    }
  }
}

TEST_P(Loops, AStepThatIsNotFiniteHarmsNoOtherWeight) {
  for (const float bad : {kInfinity, -kInfinity, kNan}) {
    for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kAdamW}) {
      const std::uint64_t step = 1;
      Numbers dp(19, 1), p(19, 2), v(19, 3), v2(19, 4, 0.0);
      dp.at(17) = bad;
      native_cpu::apply(one, 19, {{.kind = kind}, 0.1, &step}, dp.data(), p.data(), v.data(), v2.data());
      for (std::int64_t i = 0; i < 19; ++i) EXPECT_EQ(std::isfinite(p[i]), i != 17) << bad;
    }
  }
}

TEST_P(Loops, ScaleAndSubtract) {
  for (const std::int64_t n : kSizes) {
    for (const float factor : {1.0F, -0.3F}) {
      for (const bool accumulate : {false, true}) {
        Numbers x(n, 1), y(n, 2);
        const Numbers before = y;
        native_cpu::scale(one, n, factor, x.data(), accumulate, y.data());
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_NEAR(y[i], factor * x[i] + (accumulate ? before[i] : 0.0), allowed(OpClass::kElementwise, 2.0));
      }
    }
    Numbers x(n, 1), w(n, 2), y(n, 3);
    native_cpu::subtract(one, n, x.data(), w.data(), y.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], static_cast<float>(x[i] - w[i]));
    native_cpu::zero(one, n, y.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], 0.0);
  }
}

TEST_P(Loops, ScaleByOneCopiesEveryBit) {
  const Numbers x(std::vector{kNan, -0.0F, 1e-40F, kInfinity, -1e-45F, 3e38F, 1.0F});
  Numbers y(7, 1);
  native_cpu::scale(one, 7, 1.0F, x.data(), false, y.data());
  EXPECT_EQ(y, x);
}

TEST_P(Loops, RowsOfColumns) {
  for (const std::int64_t n : kSizes) {
    for (const std::int64_t m : {1, 2, 5}) {
      const std::int64_t x_row = n + 3, y_row = n + 2;
      Numbers x(m * x_row, 1), y(m * y_row, 2), w(m * 2, 3), tight(m * n, 4), other(m * n, 5), dots(m * 3, 6);
      const Numbers before = y, tight_before = tight, dots_before = dots;
      native_cpu::copy_columns(one, m, n, 0.5F, x.data() + 1, x_row, true, y.data() + 2, y_row);
      native_cpu::scale_rows(one, m, n, 2.0F, w.data() + 1, 2, other.data(), true, tight.data());
      native_cpu::row_dot(one, m, n, other.data(), tight_before.data(), dots.data() + 1, 3);
      for (std::int64_t i = 0; i < m * y_row; ++i) {
        const std::int64_t column = i % y_row - 2;
        const double added = column < 0 ? 0.0 : 0.5 * x[i / y_row * x_row + 1 + column];
        ASSERT_NEAR(y[i], before[i] + added, column < 0 ? 0.0 : allowed(OpClass::kElementwise, 2.0));
      }
      for (std::int64_t i = 0; i < m * n; ++i)
        ASSERT_NEAR(tight[i], tight_before[i] + 2.0 * w[i / n * 2 + 1] * other[i], allowed(OpClass::kElementwise, 4.0));
      for (std::int64_t i = 0; i < m * 3; ++i) {
        double sum = dots_before[i];
        if (i % 3 == 1) sum = 0.0;
        for (std::int64_t j = 0; i % 3 == 1 && j < n; ++j) sum += other[i / 3 * n + j] * tight_before[i / 3 * n + j];
        ASSERT_NEAR(dots[i], sum, i % 3 == 1 ? allowed(OpClass::kSum, std::sqrt(static_cast<double>(n)), n) : 0.0);
      }
    }
  }
}

TEST_P(Loops, Sums) {
  for (const std::int64_t n : kSizes) {
    const Numbers x(n, 1), w(n, 2);
    double xx = 0.0, ww = 0.0, xw = 0.0, error = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      xx += x[i] * x[i], ww += w[i] * w[i], xw += x[i] * w[i];
      error += (x[i] - w[i]) * (x[i] - w[i]);
    }
    const double small = 1e-14 * static_cast<double>(n);
    ASSERT_NEAR(native_cpu::dot(n, x.data(), w.data()), xw, small);
    ASSERT_NEAR(native_cpu::squares(n, x.data()), xx, small);
    const auto sums = native_cpu::squares_and_dot(n, x.data(), w.data());
    ASSERT_NEAR(sums.xx, xx, small);
    ASSERT_NEAR(sums.ww, ww, small);
    ASSERT_NEAR(sums.xw, xw, small);
    ASSERT_NEAR(native_cpu::mse_gap(one, n, x.data(), w.data(), nullptr), error / static_cast<double>(n), small);
    ASSERT_NEAR(native_cpu::link_budget(one, n, x.data(), w.data()), (xw / std::sqrt(xx * ww) + 1.0) / 2.0, 1e-12);
  }
}

TEST_P(Loops, AllFiniteSeesEveryPlace) {
  for (const std::int64_t n : kSizes) {
    for (std::int64_t at = 0; at < n; ++at) {
      for (const float value : {3e38F, 1e-40F, kInfinity, -kInfinity, kNan}) {
        Numbers x(n, 1);
        x.at(at) = value;
        ASSERT_EQ(native_cpu::all_finite(n, x.data()), std::isfinite(value)) << value << " at " << at << " of " << n;
      }
    }
  }
}

TEST_P(Loops, ColumnSums) {
  for (const std::int64_t n : kSizes) {
    for (const std::int64_t m : {0, 1, 2, 7, 40}) {
      const Numbers d(m * n, 1);
      std::vector<double> plain(static_cast<std::size_t>(n)), sizes(plain), seen(plain);
      for (std::int64_t i = 0; i < m * n; ++i) {
        plain[static_cast<std::size_t>(i % n)] += d[i];
        sizes[static_cast<std::size_t>(i % n)] += std::abs(d[i]);
      }
      native_cpu::column_sizes(m, n, d.data(), n, seen.data());
      for (const auto& [op, accumulate] : {std::pair(Opcode::kBiasUpdate, false), std::pair(Opcode::kBiasGrad, false),
                                           std::pair(Opcode::kBiasGrad, true)}) {
        Instruction i;
        i.op = op, i.m = m, i.n = n, i.accumulate = accumulate, i.scale = op == Opcode::kBiasUpdate ? 0.5 : 1.0;
        Numbers b(n, 2);
        const Numbers before = b;
        native_cpu::bias(one, i, 0.25, d.data(), b.data());
        for (std::int64_t o = 0; o < n; ++o) {
          const double sum = plain[static_cast<std::size_t>(o)];
          ASSERT_NEAR(b[o],
                      op == Opcode::kBiasUpdate ? before[o] - 0.125 * sum
                      : accumulate              ? before[o] + sum
                                                : sum,
                      allowed(OpClass::kSum, std::sqrt(static_cast<double>(m) + 1.0), m + 1));
        }
      }
      for (std::size_t o = 0; o < seen.size(); ++o) ASSERT_NEAR(seen[o], sizes[o], 1e-12);
      Numbers values(n, 3);
      const Numbers before = values;
      native_cpu::divide_by_sizes(n, seen.data(), values.data());
      for (std::int64_t o = 0; o < n; ++o) {
        const double size = sizes[static_cast<std::size_t>(o)];
        ASSERT_NEAR(values[o], size > 0.01 ? before[o] / size : 0.0,
                    allowed(OpClass::kElementwise, size > 0.01 ? 1.0 / size : 0.0));
      }
    }
  }
}

TEST_P(Loops, AnyNumberOfThreadsGivesTheSameBits) {
  constexpr std::int64_t m = 331, n = 417, all = m * n;
  const Numbers x(all, 1), w(all, 2);
  const auto same = [&](const auto& make) {
    Numbers first(all, 3), second(all, 3);
    const double a = make(one, first), b = make(three, second);
    EXPECT_EQ(a, b);
    EXPECT_EQ(first, second);
  };
  const float *px = x.data(), *pw = w.data();
  same([&](Team& t, Numbers& y) { return native_cpu::cross_entropy_gap(t, m, n, px, pw, y.data()); });
  same([&](Team& t, Numbers& y) { return native_cpu::mse_gap(t, all, px, pw, y.data()); });
  same([&](Team& t, Numbers&) { return native_cpu::squares(t, all, px); });
  same([&](Team& t, Numbers&) { return native_cpu::link_budget(t, all, px, pw); });
  same([&](Team& t, Numbers& y) { return native_cpu::softmax(t, m, n, px, y.data()), 0.0; });
  same([&](Team& t, Numbers& y) { return native_cpu::softmax_grad(t, m, n, px, pw, y.data()), 0.0; });
  same([&](Team& t, Numbers& y) { return native_cpu::row_dot(t, m, n, px, pw, y.data(), n), 0.0; });
  same([&](Team& t, Numbers& y) { return native_cpu::scale_rows(t, m, n, 2.0F, pw, n, px, true, y.data()), 0.0; });
  same([&](Team& t, Numbers& y) {
    Instruction i;
    i.op = Opcode::kBiasGrad, i.m = m, i.n = n;
    return native_cpu::bias(t, i, 0.0, px, y.data()), 0.0;
  });
  same([&](Team& t, Numbers& y) {
    const std::uint64_t step = 3;
    Numbers v = x, v2(all, 9, 0.0);
    return native_cpu::apply(t, all, {adamw(), 0.1, &step}, pw, y.data(), v.data(), v2.data()), 0.0;
  });
}

}  // namespace
}  // namespace weft::test
#endif
