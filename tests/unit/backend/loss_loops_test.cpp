// Softmax and cross-entropy of native_cpu against plain loops in double, in every kind of vectors that this machine
// has: odd sizes, numbers that are not finite, certain answers.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include <algorithm>
#include <cmath>
#include <vector>

#include "src/backend/native_cpu/losses.h"
#include "src/backend/native_cpu/team_loops.h"
#include "tests/unit/backend/loops.h"

namespace weft::test {
namespace {

class LossLoops : public Loops {};
INSTANTIATE_TEST_SUITE_P(EveryKind, LossLoops, testing::ValuesIn(kinds()), name_of_kind);

TEST_P(LossLoops, SoftmaxAndItsGradient) {
  for (const std::int64_t n : kSizes) {
    for (const double size : {1.0, 60.0}) {
      constexpr std::int64_t m = 3;
      Numbers x(m * n, 1, size), y(m * n, 2), dy(m * n, 3), dx(m * n, 4);
      native_cpu::softmax(one, m, n, x.data(), y.data());
      native_cpu::softmax_grad(one, m, n, y.data(), dy.data(), dx.data());
      for (std::int64_t row = 0; row < m * n; row += n) {
        double largest = x[row], total = 0.0, dot = 0.0;
        for (std::int64_t i = row; i < row + n; ++i) largest = std::max(largest, x[i]);
        for (std::int64_t i = row; i < row + n; ++i) total += std::exp(x[i] - largest), dot += y[i] * dy[i];
        for (std::int64_t i = row; i < row + n; ++i) {
          ASSERT_NEAR(y[i], std::exp(x[i] - largest) / total, allowed(OpClass::kTranscendental, 1.0)) << n;
          ASSERT_NEAR(dx[i], y[i] * (dy[i] - dot), allowed(OpClass::kSum, 1.0, n)) << n;
        }
      }
      Numbers in_place = x;
      native_cpu::softmax(one, m, n, in_place.data(), in_place.data());
      EXPECT_EQ(in_place, y);
    }
  }
}

TEST_P(LossLoops, SoftmaxOfWhatIsNotFinite) {
  for (const std::int64_t n : {1, 3, 8, 16, 21, 33}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      for (const float bad : {kNan, kInfinity, -kInfinity}) {
        Numbers x(2 * n, 1), y(2 * n, 2);
        x.at(at) = bad;
        native_cpu::softmax(one, 2, n, x.data(), y.data());
        const bool harmless = bad == -kInfinity && n > 1;
        for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(std::isnan(y[i]), !harmless) << bad << " at " << at;
        for (std::int64_t i = n; i < 2 * n; ++i) EXPECT_TRUE(std::isfinite(y[i])) << "the other row";
        if (harmless) {
          EXPECT_EQ(y[at], 0.0);
        }
      }
    }
  }
}

/// The loss of m rows, and the gap, where wanted.
double plain_cross_entropy(std::int64_t m, std::int64_t n, const Numbers& p, const Numbers& t,
                           std::vector<double>& gap) {
  double loss = 0.0;
  gap.assign(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t row = 0; row < m * n; row += n) {
    double largest = p[row], total = 0.0;
    for (std::int64_t i = row; i < row + n; ++i) largest = std::max(largest, p[i]);
    for (std::int64_t i = row; i < row + n; ++i) total += std::exp(p[i] - largest);
    for (std::int64_t i = row; i < row + n; ++i) {
      const double chance = std::exp(p[i] - largest) / total;
      loss -= t[i] * std::log(std::max(chance, 1e-12));
      gap[static_cast<std::size_t>(i)] = (chance - t[i]) / static_cast<double>(m);
    }
  }
  return loss / static_cast<double>(m);
}

TEST_P(LossLoops, CrossEntropyAndItsGap) {
  std::vector<double> wanted;
  for (const std::int64_t n : kSizes) {
    for (const std::int64_t m : {1, 3, 8, 31, 32, 33, 70}) {
      for (const double size : {1.0, 20.0, 3000.0}) {
        Numbers p(m * n, 1, size), t(m * n, 2), gap(m * n, 3);
        const double loss = plain_cross_entropy(m, n, p, t, wanted);
        const double seen = native_cpu::cross_entropy_gap(one, m, n, p.data(), t.data(), gap.data());
        ASSERT_NEAR(seen, loss, allowed(OpClass::kTranscendental, std::max(1.0, std::abs(loss)))) << m << " x " << n;
        EXPECT_EQ(seen, native_cpu::cross_entropy_gap(one, m, n, p.data(), t.data(), nullptr));
        for (std::int64_t i = 0; i < m * n; ++i)
          ASSERT_NEAR(gap[i], wanted[static_cast<std::size_t>(i)],
                      allowed(OpClass::kTranscendental, 1.0 / static_cast<double>(m)))
              << m << " x " << n << " at " << i;
      }
    }
  }
}

TEST_P(LossLoops, AGapKeepsItsDigitsWhereTheAnswerIsAlmostCertain) {
  for (const std::int64_t n : {2, 5, 8, 17}) {
    for (const float distance : {5.0F, 17.0F, 25.0F}) {
      Numbers p(n, 1, 0.0), t(n, 2, 0.0), gap(n, 3);
      p.at(1) = distance, t.at(1) = 1.0F;
      native_cpu::cross_entropy_gap(one, 1, n, p.data(), t.data(), gap.data());
      const double others = static_cast<double>(n - 1) * std::exp(-static_cast<double>(distance));
      const double lacks = others / (1.0 + others);
      EXPECT_NEAR(gap[1], -lacks, 0.001 * lacks) << n << " " << distance;
    }
  }
}

TEST_P(LossLoops, CertainAnswersAndRowsWithoutTargets) {
  for (const std::int64_t n : {1, 4, 8, 10, 19}) {
    Numbers p(2 * n, 1, 0.0), t(2 * n, 2, 0.0), gap(2 * n, 3);
    p.at(n - 1) = 1000.0F, t.at(n - 1) = 1.0F;
    EXPECT_EQ(native_cpu::cross_entropy_gap(one, 2, n, p.data(), t.data(), gap.data()), 0.0) << "certain, right";
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(gap[i], 0.0);
    for (std::int64_t i = n; i < 2 * n; ++i) EXPECT_NEAR(gap[i], 0.5 / static_cast<double>(n), 1e-8) << "no targets";
    if (n == 1) continue;
    t.at(n - 1) = 0.0F, t.at(0) = 1.0F;
    EXPECT_NEAR(native_cpu::cross_entropy_gap(one, 2, n, p.data(), t.data(), gap.data()), -std::log(1e-12) / 2.0, 1e-5)
        << "certain, wrong";
    EXPECT_EQ(gap[0], -0.5);
    EXPECT_EQ(gap[n - 1], 0.5);
  }
  Numbers huge(std::vector{3e38F, -3e38F, 3e38F}), t(std::vector{0.5F, 0.0F, 0.5F}), gap(3, 1);
  EXPECT_NEAR(native_cpu::cross_entropy_gap(one, 1, 3, huge.data(), t.data(), gap.data()), std::log(2.0), 1e-6);
  EXPECT_EQ(gap[0], 0.0);
  EXPECT_EQ(gap[1], 0.0);
}

TEST_P(LossLoops, WhatIsNotFiniteMakesTheLossNan) {
  for (const std::int64_t n : {1, 3, 8, 10, 19}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      for (const float bad : {kNan, kInfinity}) {
        for (const bool with_target : {false, true}) {
          Numbers p(40 * n, 1), t(40 * n, 2, 0.0), gap(40 * n, 3);
          p.at(37 * n + at) = bad;
          if (with_target) t.at(37 * n) = 1.0F;
          EXPECT_TRUE(std::isnan(native_cpu::cross_entropy_gap(one, 40, n, p.data(), t.data(), gap.data())));
          for (std::int64_t i = 0; i < 40 * n; ++i) EXPECT_EQ(std::isnan(gap[i]), i / n == 37) << i;
        }
      }
    }
    Numbers p(n, 1), t(n, 2, 0.0), gap(n, 3);
    for (std::int64_t i = 0; i < n; ++i) p.at(i) = -kInfinity;
    EXPECT_TRUE(std::isnan(native_cpu::cross_entropy_gap(one, 1, n, p.data(), t.data(), gap.data())));
    if (n == 1) continue;
    p.at(1) = 0.5F, t.at(0) = 1.0F;
    EXPECT_NEAR(native_cpu::cross_entropy_gap(one, 1, n, p.data(), t.data(), gap.data()), -std::log(1e-12), 1e-5);
    t.at(0) = kNan;
    EXPECT_TRUE(std::isnan(native_cpu::cross_entropy_gap(one, 1, n, p.data(), t.data(), gap.data())));
  }
}

}  // namespace
}  // namespace weft::test
#endif
