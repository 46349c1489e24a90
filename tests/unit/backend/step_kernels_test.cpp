// The kernels of native_cpu's small steps against plain sums in double: odd sizes, and nothing written beyond the
// result.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include "src/backend/native_cpu/step_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/tolerance.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

using native_cpu::Kernel;
using native_cpu::Step;

constexpr float kEdge = -77.0F;
constexpr double kRate = 0.125;

/// Numbers with an edge on both sides that must stay.
class Numbers {
 public:
  Numbers(std::int64_t count, std::uint64_t seed) : values_(static_cast<std::size_t>(count) + 2, kEdge) {
    Random random(seed);
    for (std::size_t i = 1; i + 1 < values_.size(); ++i) values_[i] = static_cast<float>(random.uniform(-1.0, 1.0));
  }
  float* data() { return values_.data() + 1; }
  double operator[](std::int64_t i) const { return values_[static_cast<std::size_t>(i) + 1]; }
  bool edges_stayed() const { return values_.front() == kEdge && values_.back() == kEdge; }

 private:
  std::vector<float> values_;
};

/// A step of m rows, n outputs and k inputs with operands of its own.
struct Trial {
  Trial(Opcode op, std::int64_t rows, std::int64_t outputs, std::int64_t inputs)
      : m(rows),
        n(outputs),
        k(inputs),
        x(m * k, 1),
        w(n * k, 2),
        b(n, 3),
        d(m * n, 4),
        z(m * n, 5),
        y(m * n, 6),
        gx(m * k, 7) {
    step.instruction.op = op;
    step.instruction.m = m, step.instruction.n = n, step.instruction.k = k;
  }

  /// False where there is no kernel for it.
  bool run() {
    scratch.resize(static_cast<std::size_t>(native_cpu::needs_scratch(step.instruction)) + 1);
    step.scratch = scratch.data();
    const Kernel kernel = native_cpu::kernel_for(step.instruction, program);
    if (kernel == nullptr) return false;
    kernel(step, kRate);
    for (const Numbers* numbers : {&x, &w, &b, &d, &z, &y, &gx})
      EXPECT_TRUE(numbers->edges_stayed()) << m << " x " << n << " x " << k;
    return true;
  }

  /// A sum of `terms` products of numbers of at most 1, and a start.
  void expect_sum(double seen, double wanted, std::int64_t terms, std::int64_t at) const {
    ASSERT_NEAR(seen, wanted,
                tolerance(OpClass::kSum, DType::kFloat32, std::sqrt(static_cast<double>(terms) + 1.0), terms + 1))
        << to_string(step.instruction.op) << " " << m << " x " << n << " x " << k << " at " << at;
  }

  std::int64_t m, n, k;
  Numbers x, w, b, d, z, y, gx;
  Step step;
  Program program;
  std::vector<float> scratch;
};

/// Calls each(m, n, k) with sizes around every width of vectors and every number of rows that a kernel is made for.
template <typename Each>
void for_sizes(const Each& each) {
  for (const std::int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 18}) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 31, 32, 33, 66}) {
      for (const std::int64_t k : {1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 48, 64, 65, 100, 131}) {
        each(m, n, k);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(StepKernels, ForwardIsTheSumAndItsActivation) {
  int runs = 0;
  for_sizes([&](std::int64_t m, std::int64_t n, std::int64_t k) {
    for (const bool bias : {false, true}) {
      for (const Activation activation : {Activation::kLinear, Activation::kTanh}) {
        Trial t(Opcode::kForward, m, n, k);
        t.step.instruction.activation = activation;
        t.step.in = {t.x.data(), t.w.data(), bias ? t.b.data() : nullptr};
        const bool one_buffer = activation == Activation::kLinear && bias;
        t.step.out = {t.z.data(), one_buffer ? t.z.data() : t.y.data(), nullptr};
        if (!t.run()) continue;
        ++runs;
        for (std::int64_t i = 0; i < m * n; ++i) {
          double sum = bias ? t.b[i % n] : 0.0;
          for (std::int64_t j = 0; j < k; ++j) sum += t.x[i / n * k + j] * t.w[i % n * k + j];
          t.expect_sum(t.z[i], sum, k, i);
          if (!one_buffer) t.expect_sum(t.y[i], activate(activation, sum), k, i);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
  EXPECT_GT(runs, 0);
}

TEST(StepKernels, ForwardKnowsEveryActivation) {
  for (int a = 0; a < kActivationCount; ++a) {
    for (const std::int64_t m : {2, 5, 9}) {
      for (const std::int64_t n : {4, 8, 11, 16, 40}) {
        Trial t(Opcode::kForward, m, n, 33);
        t.step.instruction.activation = static_cast<Activation>(a);
        t.step.in = {t.x.data(), t.w.data(), nullptr};
        t.step.out = {t.z.data(), t.y.data(), nullptr};
        if (!t.run()) continue;
        for (std::int64_t i = 0; i < m * n; ++i)
          EXPECT_NEAR(t.y[i], activate(static_cast<Activation>(a), t.z[i]),
                      tolerance(OpClass::kTranscendental, DType::kFloat32, std::max(1.0, t.z[i] * t.z[i])));
      }
    }
  }
}

TEST(StepKernels, GradInputIsTheSum) {
  int runs = 0;
  for_sizes([&](std::int64_t m, std::int64_t n, std::int64_t k) {
    for (const bool accumulate : {false, true}) {
      Trial t(Opcode::kGradInput, m, n, k);
      t.step.instruction.accumulate = accumulate;
      const Numbers before = t.gx;
      t.step.in = {t.d.data(), t.w.data(), nullptr};
      t.step.out = {t.gx.data(), nullptr, nullptr};
      if (!t.run()) continue;
      ++runs;
      for (std::int64_t i = 0; i < m * k; ++i) {
        double sum = accumulate ? before[i] : 0.0;
        for (std::int64_t o = 0; o < n; ++o) sum += t.d[i / k * n + o] * t.w[o * k + i % k];
        t.expect_sum(t.gx[i], sum, n, i);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
  EXPECT_GT(runs, 0);
}

TEST(StepKernels, UpdateAndWeightGradAreTheSum) {
  int runs = 0;
  for_sizes([&](std::int64_t m, std::int64_t n, std::int64_t k) {
    for (const auto& [op, accumulate] : {std::pair(Opcode::kUpdate, false), std::pair(Opcode::kWeightGrad, false),
                                         std::pair(Opcode::kWeightGrad, true)}) {
      Trial t(op, m, n, k);
      t.step.instruction.accumulate = accumulate;
      t.step.instruction.scale = op == Opcode::kUpdate ? 0.5 : 1.0;
      const Numbers before = t.w;
      t.step.in = {t.d.data(), t.x.data(), nullptr};
      t.step.out = {t.w.data(), nullptr, nullptr};
      if (!t.run()) continue;
      ++runs;
      for (std::int64_t i = 0; i < n * k; ++i) {
        double sum = 0.0;
        for (std::int64_t row = 0; row < m; ++row) sum += t.d[row * n + i / k] * t.x[row * k + i % k];
        t.expect_sum(t.w[i],
                     op == Opcode::kUpdate ? before[i] - kRate * 0.5 * sum
                     : accumulate          ? before[i] + sum
                                           : sum,
                     m, i);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
  EXPECT_GT(runs, 0);
}

TEST(StepKernels, BiasStepsAreColumnSums) {
  for_sizes([&](std::int64_t m, std::int64_t n, std::int64_t k) {
    if (k != 1) return;
    for (const auto& [op, accumulate] : {std::pair(Opcode::kBiasUpdate, false), std::pair(Opcode::kBiasGrad, false),
                                         std::pair(Opcode::kBiasGrad, true)}) {
      Trial t(op, m, n, 1);
      t.step.instruction.accumulate = accumulate;
      t.step.instruction.scale = op == Opcode::kBiasUpdate ? 0.5 : 1.0;
      const Numbers before = t.b;
      t.step.in = {t.d.data(), nullptr, nullptr};
      t.step.out = {t.b.data(), nullptr, nullptr};
      ASSERT_TRUE(t.run());
      for (std::int64_t o = 0; o < n; ++o) {
        double sum = 0.0;
        for (std::int64_t row = 0; row < m; ++row) sum += t.d[row * n + o];
        t.expect_sum(t.b[o],
                     op == Opcode::kBiasUpdate ? before[o] - kRate * 0.5 * sum
                     : accumulate              ? before[o] + sum
                                               : sum,
                     m, o);
      }
    }
  });
}

TEST(StepKernels, DeltaIsTheGapTimesTheSlope) {
  for (int a = 0; a < kActivationCount; ++a) {
    for_sizes([&](std::int64_t m, std::int64_t n, std::int64_t k) {
      if (k != 1) return;
      Trial t(Opcode::kDelta, m, n, 1);
      t.step.instruction.activation = static_cast<Activation>(a);
      t.step.instruction.scale = 0.5;
      t.step.in = {t.d.data(), t.z.data(), nullptr};
      t.step.out = {t.y.data(), nullptr, nullptr};
      ASSERT_TRUE(t.run());
      for (std::int64_t i = 0; i < m * n; ++i)
        ASSERT_NEAR(t.y[i], 0.5 * t.d[i] * activate_derivative(static_cast<Activation>(a), t.z[i]),
                    tolerance(OpClass::kTranscendental, DType::kFloat32, 1.0));
    });
  }
}

TEST(StepKernels, SquaredErrorAndItsGap) {
  for_sizes([&](std::int64_t m, std::int64_t n, std::int64_t k) {
    if (k > 2) return;
    Trial t(Opcode::kLossGap, m, n, 1);
    t.program.loss = Loss::kMse;
    double loss = -1.0;
    std::uint64_t finite = 9;
    t.step.in = {t.z.data(), t.y.data(), nullptr};
    t.step.out = {k == 1 ? t.d.data() : nullptr, &loss, &finite};
    const Numbers before = t.d;
    if (!t.run()) return;
    double sum = 0.0;
    const auto count = static_cast<double>(m * n);
    for (std::int64_t i = 0; i < m * n; ++i) {
      const double error = t.z[i] - t.y[i];
      sum += error * error / count;
      ASSERT_NEAR(t.d[i], k == 1 ? 2.0 * error / count : before[i],
                  k == 1 ? tolerance(OpClass::kElementwise, DType::kFloat32, 4.0 / count) : 0.0);
    }
    ASSERT_NEAR(loss, sum, 1e-14);
    ASSERT_EQ(finite, 1U);
  });
}

TEST(StepKernels, AnErrorThatIsNotFiniteSaysSo) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const std::int64_t n : {1, 4, 8, 13, 33}) {
      Trial t(Opcode::kLossGap, 2, n, 1);
      t.program.loss = Loss::kMse;
      double loss = -1.0;
      std::uint64_t finite = 9;
      t.step.in = {t.z.data(), t.y.data(), nullptr};
      t.step.out = {t.d.data(), &loss, &finite};
      t.z.data()[2 * n - 1] = bad;
      if (!t.run()) continue;
      EXPECT_FALSE(std::isfinite(loss));
      EXPECT_EQ(finite, 0U);
    }
  }
}

TEST(StepKernels, LargeStepsAreLeftToThreads) {
  Program program;
  for (const Opcode op : {Opcode::kForward, Opcode::kGradInput, Opcode::kUpdate, Opcode::kWeightGrad}) {
    Instruction i;
    i.op = op;
    i.m = 128, i.n = 512, i.k = 784;
    EXPECT_EQ(native_cpu::kernel_for(i, program), nullptr) << to_string(op);
    i.m = i.n = i.k = std::numeric_limits<std::int64_t>::max() / 2;
    EXPECT_EQ(native_cpu::kernel_for(i, program), nullptr) << to_string(op);
    i.m = 0;
    EXPECT_EQ(native_cpu::kernel_for(i, program), nullptr) << to_string(op);
  }
}

}  // namespace
}  // namespace weft::test
#endif
