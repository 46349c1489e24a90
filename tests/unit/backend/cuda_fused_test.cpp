// Products that finish what the program does next with their results, on a GPU: every use, activation, precision and
// kind of edge, against cpu and against the formulas.
#include <cmath>
#include <map>
#include <optional>

#include "tests/support/insist.h"
#include "tests/support/tolerance.h"
#include "tests/unit/backend/bench.h"
#include "tests/unit/backend/on_cuda.h"
#include "weft/activation.hpp"
#include "weft/precision.hpp"
#include "weft/random.hpp"

namespace weft::test {
namespace {

struct Sizes {
  std::int64_t m, n, k;
};
// Of one tile and of many, with and without edges, and with few or many terms to a sum.
constexpr Sizes kSizes[] = {{64, 64, 64},   {128, 256, 512}, {130, 252, 324}, {1, 4, 8},
                            {3, 300, 1024}, {257, 132, 60},  {70, 1024, 20},  {512, 512, 48}};

/// A device with named buffers of random numbers, the same ones on every device.
class Place {
 public:
  Place(const char* device, Precision precision) {
    BackendOptions options(DType::kFloat32);
    options.precision = precision;
    backend_ = create_backend(device, options).value();
  }

  Operand add(const std::string& name, std::int64_t count, Role role = Role::kParameter) {
    const Operand made{buffers_.require(name, Element::kStorage, role, count)};
    backend_->reserve(buffers_).value();
    Random random(std::hash<std::string>{}(name));
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random.uniform(-1.0, 1.0));
    backend_->write(made.buffer, 0, values.data(), values.size() * sizeof(float)).value();
    sizes_[name] = {made, values.size()};
    return made;
  }
  Operand counter(const std::string& name, std::uint64_t value) {
    const Operand made{buffers_.require(name, Element::kCounter, Role::kRule, 1)};
    backend_->reserve(buffers_).value();
    backend_->write(made.buffer, 0, &value, sizeof value).value();
    return made;
  }
  void run(std::vector<Instruction> code) {
    Program program;
    program.code = std::move(code);
    const Status status = backend_->run(program, {.lr = 0.25});
    ASSERT_TRUE(status.ok()) << status.message();
  }
  std::vector<float> read(const std::string& name) {
    const auto& [operand, count] = sizes_.at(name);
    std::vector<float> values(count);
    backend_->read(operand.buffer, 0, values.data(), count * sizeof(float)).value();
    return values;
  }

 private:
  BufferTable buffers_;
  std::unique_ptr<Backend> backend_;
  std::map<std::string, std::pair<Operand, std::size_t>> sizes_;
};

class CudaFused : public OnCuda<Precision> {
 protected:
  /// Runs it twice on the GPU and once on the CPU; afterwards `seen` and `wanted` answer.
  template <typename Make>
  void run(const Make& make) {
    gpu_.emplace("cuda", GetParam());
    cpu_.emplace("cpu", Precision::kFloat32);
    Place again("cuda", GetParam());
    gpu_->run(make(*gpu_));
    cpu_->run(make(*cpu_));
    again.run(make(again));
    for (const char* name : {"y", "z", "d"}) EXPECT_EQ(gpu_->read(name), again.read(name)) << name;
  }
  std::vector<float> seen(const char* name) { return gpu_->read(name); }
  std::vector<float> wanted(const char* name) { return cpu_->read(name); }

  /// What a sum of so many products of numbers from -1 to 1 may be off by.
  static double allowed(std::int64_t terms, double factor = 1.0) {
    const double magnitude = std::max(1.0, std::sqrt(static_cast<double>(terms)) / 3.0);
    return factor * (tolerance(OpClass::kSum, DType::kFloat32, magnitude, terms) +
                     kRoundedSum * rounding(GetParam()) * magnitude);
  }
  void expect_near(const char* name, double allowed) {
    const std::vector<float> is = seen(name), should = wanted(name);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < is.size(); ++i) {
      if (std::abs(static_cast<double>(is[i]) - should[i]) <= allowed) continue;
      if (++wrong <= 3) ADD_FAILURE() << name << "[" << i << "] is " << is[i] << ", should be " << should[i];
    }
    EXPECT_EQ(wrong, 0u);
  }

 private:
  const Insist steps_{"WEFT_CUDA_WAY", "steps"};
  const Insist products_{"WEFT_CUDA_PRODUCTS", "fused"};
  std::optional<Place> gpu_, cpu_;
};

TEST_P(CudaFused, ForwardGivesSumsAndTheirActivations) {
  int turn = 0;
  for (const auto& [m, n, k] : kSizes) {
    for (const bool bias : {true, false}) {
      const auto activation = static_cast<Activation>(turn++ % kActivationCount);
      SCOPED_TRACE(testing::Message() << m << " " << n << " " << k << " " << to_string(activation));
      run([&, m = m, n = n, k = k](Place& at) {
        Instruction forward = instruction(Opcode::kForward, m, n, k,
                                          {at.add("x", m * k), at.add("w", n * k), bias ? at.add("b", n) : Operand{}},
                                          {at.add("z", m * n), at.add("y", m * n)});
        forward.activation = activation;
        at.add("d", 1);
        return std::vector{forward};
      });
      expect_near("z", allowed(k));
      const std::vector<float> z = seen("z"), y = seen("y");
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double should = activate(activation, z[i]);
        ASSERT_NEAR(y[i], should,
                    tolerance(OpClass::kTranscendental, DType::kFloat32, std::max(1.0, std::abs(should))));
      }
    }
  }
}

/// The result is a factor of the product behind it, in the form that this takes.
TEST_P(CudaFused, LinesOfForwardPassesAgreeWithCpu) {
  for (const auto& [m, n, k] : kSizes) {
    SCOPED_TRACE(testing::Message() << m << " " << n << " " << k);
    run([&, m = m, n = n, k = k](Place& at) {
      Instruction first = instruction(Opcode::kForward, m, n, k, {at.add("x", m * k), at.add("w", n * k)},
                                      {at.add("z", m * n, Role::kScratch), at.add("h", m * n, Role::kScratch)});
      first.activation = Activation::kTanh;
      const Operand y = at.add("y", m * k);
      at.add("d", 1);
      return std::vector{first, instruction(Opcode::kForward, m, k, n, {first.out[1], at.add("v", k * n)}, {y, y})};
    });
    // Through tanh comes at most what a sum is off by.
    const double inner = allowed(k) * std::sqrt(static_cast<double>(n));
    expect_near("y", allowed(n, 2.0) + (GetParam() == Precision::kFloat32 ? inner : 2.0 * inner));
  }
}

TEST_P(CudaFused, GradientsOfInputsBecomeGapsBelow) {
  int turn = 0;
  for (const auto& [m, n, k] : kSizes) {
    for (const bool keeps : {true, false}) {
      const auto activation = static_cast<Activation>(turn++ % kActivationCount);
      SCOPED_TRACE(testing::Message() << m << " " << n << " " << k << " " << to_string(activation));
      run([&, m = m, n = n, k = k](Place& at) {
        const Operand g = at.add("y", m * k, keeps ? Role::kParameter : Role::kScratch), z = at.add("z", m * k);
        Instruction delta = instruction(Opcode::kDelta, m, k, 0, {g, z}, {at.add("d", m * k)});
        delta.activation = activation;
        delta.scale = 0.75;
        return std::vector{instruction(Opcode::kGradInput, m, n, k, {at.add("e", m * n), at.add("w", n * k)}, {g}),
                           delta};
      });
      if (keeps) expect_near("y", allowed(n));
      expect_near("d", allowed(n, 2.0));
    }
  }
}

TEST_P(CudaFused, GradientsAddToWhatIsThere) {
  for (const auto& [m, n, k] : kSizes) {
    SCOPED_TRACE(testing::Message() << m << " " << n << " " << k);
    for (const bool adds : {true, false}) {
      run([&, m = m, n = n, k = k](Place& at) {
        const Operand e = at.add("e", m * n), x = at.add("x", m * k);
        Instruction inputs = instruction(Opcode::kGradInput, m, n, k, {e, at.add("w", n * k)}, {at.add("y", m * k)});
        Instruction weights = instruction(Opcode::kWeightGrad, m, n, k, {e, x}, {at.add("d", n * k)});
        at.add("z", 1);
        inputs.accumulate = weights.accumulate = adds;
        return std::vector{inputs, weights};
      });
      expect_near("y", allowed(n + 1));
      expect_near("d", allowed(m + 1));
    }
  }
}

TEST_P(CudaFused, UpdatesHappenInPlaceAndWhereTheyMay) {
  for (const auto& [m, n, k] : kSizes) {
    for (const std::uint64_t may : {1u, 0u}) {
      SCOPED_TRACE(testing::Message() << m << " " << n << " " << k << " " << may);
      run([&, m = m, n = n, k = k](Place& at) {
        const Operand y = at.add("y", n * k), z = at.add("z", m * n), h = at.add("d", m * n);
        Instruction update = instruction(Opcode::kUpdate, m, n, k, {at.add("e", m * n), at.add("x", m * k)}, {y});
        update.scale = 0.5;
        update.when[0] = {at.counter("may", may).buffer, Predicate::Test::kNonZero};
        // The new weights are used at once.
        return std::vector{update, instruction(Opcode::kForward, m, n, k, {at.add("u", m * k), y}, {z, h})};
      });
      expect_near("y", allowed(m + 1));
      expect_near("z", allowed(k, 2.0) + allowed(m + 1) * std::sqrt(static_cast<double>(k)));
      if (may == 0) {
        EXPECT_EQ(seen("y"), wanted("y"));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CudaFused, testing::Values(Precision::kFloat32, Precision::kTf32, Precision::kBfloat16),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace weft::test
