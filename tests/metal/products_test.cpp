// Large products by Metal Performance Shaders (WEFT_METAL_MPS=1), as the stand-in has them.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/metal/standin_here.h"
#include "tests/support/fitted.h"
#include "tests/support/insist.h"
#include "tests/unit/backend/bench.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

std::vector<double> numbers(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = random.uniform(-1.0, 1.0);
  return values;
}

TEST(MetalProducts, EveryInstructionThatIsOne) {
  constexpr std::int64_t kM = 130, kN = 120, kK = 141;
  struct Case {
    Opcode op;
    std::int64_t left, right, out, terms;  // elements
    bool accumulate;
  };
  for (const Case& each : {Case{Opcode::kForward, kM * kK, kN * kK, kM * kN, kK, false},
                           Case{Opcode::kGradInput, kM * kN, kN * kK, kM * kK, kN, false},
                           Case{Opcode::kGradInput, kM * kN, kN * kK, kM * kK, kN, true},
                           Case{Opcode::kWeightGrad, kM * kN, kM * kK, kN * kK, kM, false},
                           Case{Opcode::kWeightGrad, kM * kN, kM * kK, kN * kK, kM, true},
                           Case{Opcode::kUpdate, kM * kN, kM * kK, kN * kK, kM, false}}) {
    SCOPED_TRACE(testing::Message() << to_string(each.op) << (each.accumulate ? ", accumulated" : ""));
    const auto run = [&](const char* device) {
      Bench bench(device);
      const Operand a = bench.values("a", numbers(each.left, 1)), b = bench.values("b", numbers(each.right, 2)),
                    out = bench.values("out", numbers(each.out, 3)), also = bench.values("also", numbers(each.out, 4)),
                    bias = bench.values("bias", numbers(kN, 5));
      Instruction i = instruction(each.op, kM, kN, kK, {a, b}, {out});
      i.accumulate = each.accumulate;
      if (each.op == Opcode::kForward) i.in[2] = bias, i.out[1] = also, i.activation = Activation::kTanh;
      EXPECT_TRUE(bench.run(i, {.lr = 0.5}).ok());
      std::vector<double> seen = bench.read(out);
      for (const double value : bench.read(also)) seen.push_back(value);
      return seen;
    };
    const long before = standin_count("products");
    const std::vector<double> wanted = run("cpu"), seen = run("metal");
    EXPECT_EQ(standin_count("products") - before, 1);
    const double allowed =
        tolerance(OpClass::kSum, DType::kFloat32, std::sqrt(static_cast<double>(each.terms)), each.terms);
    double worst = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(wanted[i] - seen[i]));
    EXPECT_LE(worst, allowed);
  }
}

TEST(MetalProducts, TrainAsCpuDoes) {
  const Insist way("WEFT_METAL_WAY", "steps");
  TestModel model =
      chain(Schedule::kStack, {dense(130, 140, Activation::kTanh, {.bias = true}), dense(140, 90), dense(90, 4)});
  std::visit([](auto& root) { root.initialise({.seed = 3}).value(); }, model.root);
  constexpr std::int64_t kBatch = 120;
  Trainer cpu(model, {.device = "cpu"}), metal(model, {.device = "metal"});
  const long before = standin_count("products");
  for (const std::uint64_t seed : {1u, 2u}) {
    const double wanted = cpu.train(Mode{}, seed, 0.001, kBatch).loss;
    EXPECT_NEAR(metal.train(Mode{}, seed, 0.001, kBatch).loss, wanted,
                tolerance(OpClass::kSum, DType::kFloat32, wanted, 140));
  }
  EXPECT_GE(standin_count("products") - before, 2 * 4);  // forward and update of two layers are large
  const std::vector<Numbers> seen = metal.weights(), wanted = cpu.weights();
  for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) {
    double worst = 0.0;
    for (std::size_t i = 0; i < wanted[leaf].size(); ++i)
      worst = std::max(worst, std::abs(seen[leaf][i] - wanted[leaf][i]));
    EXPECT_LE(worst, 2 * tolerance(OpClass::kSum, DType::kFloat32, 1.0, 140)) << "leaf " << leaf;
  }
}

}  // namespace
}  // namespace weft::test
