// Every instruction with random numbers and odd shapes: the fast devices beside the cpu device.
#include <fmt/format.h>

#include <functional>
#include <set>
#include <tuple>

#include "tests/support/tolerance.h"
#include "tests/unit/backend/bench.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

/// One instruction with operands on two devices at once.
class Pair {
 public:
  Pair(std::uint64_t seed, const char* device) : random_(seed), left_("cpu"), right_(device) {}

  std::int64_t size() {
    constexpr std::int64_t kSizes[] = {1, 1, 2, 3, 5, 7, 8, 13, 16, 31, 64, 67};
    return kSizes[random_.below(std::size(kSizes))];
  }
  double number() { return random_.uniform(-2.0, 2.0); }
  bool coin() { return random_.below(2) == 0; }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

  Operand storage(std::int64_t elements) {
    return storage(elements, [this] { return number(); });
  }
  Operand storage(std::int64_t elements, const std::function<double()>& draw) {
    std::vector<double> values(static_cast<std::size_t>(elements));
    for (double& value : values) value = draw();
    const std::string name = next_name();
    storages_.push_back(left_.values(name, values));
    return right_.values(name, values);
  }
  Operand real(double value) {
    const std::string name = next_name();
    reals_.push_back(left_.real(name, value));
    return right_.real(name, value);
  }
  Operand counter(std::uint64_t value) {
    const std::string name = next_name();
    counters_.push_back(left_.counter(name, value));
    return right_.counter(name, value);
  }

  Program& left_program() { return left_.program(); }

  /// Runs on both and compares every buffer: outputs within the tolerance, all others to the bit.
  /// Returns the largest share of the tolerance used.
  double run(const Instruction& instruction, OpClass op_class, double magnitude, std::int64_t terms) {
    const RunArguments arguments{.lr = 0.1};
    std::map<BufferId, std::vector<double>> before;
    for (const Operand& operand : storages_) before[operand.buffer] = left_.read(operand);
    right_.program() = left_.program();
    EXPECT_TRUE(left_.run(instruction, arguments).ok());
    EXPECT_TRUE(right_.run(instruction, arguments).ok());
    const auto is_output = [&](BufferId id) {
      return instruction.out[0].buffer == id || instruction.out[1].buffer == id || instruction.out[2].buffer == id;
    };
    double share = 0.0;
    const auto compare = [&](double seen, double wanted, double size) {
      const double allowed = tolerance(op_class, DType::kFloat32, std::max(size, std::abs(wanted)), terms);
      EXPECT_NEAR(seen, wanted, allowed);
      if (allowed > 0) share = std::max(share, std::abs(seen - wanted) / allowed);
    };
    for (const Operand& operand : storages_) {
      const auto wanted = left_.read(operand), seen = right_.read(operand);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (is_output(operand.buffer)) {
          compare(seen[i], wanted[i], magnitude);
        } else {
          EXPECT_EQ(seen[i], before[operand.buffer][i]) << "an input was changed";
        }
      }
    }
    for (const Operand& operand : reals_) compare(right_.read_real(operand), left_.read_real(operand), magnitude);
    for (const Operand& operand : counters_) EXPECT_EQ(right_.read_counter(operand), left_.read_counter(operand));
    return share;
  }

 private:
  std::string next_name() { return fmt::format("b{}", made_++); }

  Random random_;
  Bench left_, right_;
  int made_ = 0;
  std::vector<Operand> storages_, reals_, counters_;
};

/// How an opcode's random case is made, and how far apart its results may be.
struct Case {
  Instruction instruction;
  OpClass op_class = OpClass::kElementwise;
  double magnitude = 1.0;  // what the result would measure had nothing cancelled
  std::int64_t terms = 1;
};

Case dense_case(Opcode op, Pair& pair) {
  const std::int64_t m = pair.size(), n = pair.size(), k = pair.size();
  Case made;
  Instruction& i = made.instruction;
  i = instruction(op, m, n, k, {}, {});
  i.accumulate = pair.coin();
  i.scale = pair.number();
  i.activation = static_cast<Activation>(pair.below(kActivationCount));
  const auto sums = [&](std::int64_t terms, double rate) {
    made.op_class = OpClass::kSum;
    made.terms = terms;
    made.magnitude = 2.0 + rate * 4.0 * std::sqrt(static_cast<double>(terms));  // what was there, and terms up to 2*2
  };
  switch (op) {
    case Opcode::kForward: {
      i.in = {pair.storage(m * k), pair.storage(n * k), pair.coin() ? pair.storage(n) : Operand{}};
      i.out = {pair.storage(m * n), pair.storage(m * n)};
      sums(k, 1.0);
      // An activation may multiply an error of z by its slope: relu2's is 2z, the others' at most 1.2.
      made.magnitude *= i.activation == Activation::kRelu2 ? 8.0 * std::sqrt(static_cast<double>(k)) : 1.2;
      break;
    }
    case Opcode::kDelta:
      i.in = {pair.storage(m * n), pair.storage(m * n)};
      i.out = {pair.storage(m * n)};
      made.op_class = OpClass::kTranscendental;
      made.magnitude = 4.0;
      break;
    case Opcode::kGradInput:
      i.in = {pair.storage(m * n), pair.storage(n * k)};
      i.out = {pair.storage(m * k)};
      sums(n, 1.0);
      break;
    case Opcode::kWeightGrad:
    case Opcode::kUpdate:
      i.in = {pair.storage(m * n), pair.storage(m * k)};
      i.out = {pair.storage(n * k)};
      sums(m, op == Opcode::kUpdate ? 0.2 : 1.0);
      break;
    default:  // bias_grad, bias_update
      i.in = {pair.storage(m * n)};
      i.out = {pair.storage(n)};
      sums(m, op == Opcode::kBiasUpdate ? 0.2 : 1.0);
  }
  return made;
}

Case signal_case(Opcode op, Pair& pair) {
  const std::int64_t m = pair.size(), n = pair.size();
  Case made;
  made.magnitude = 8.0;
  Instruction& i = made.instruction;
  i = instruction(op, m, n, 1, {}, {});
  i.accumulate = pair.coin();
  i.scale = pair.number();
  switch (op) {
    case Opcode::kScale:
      i.in = {pair.storage(m * n), pair.coin() ? pair.real(pair.number()) : Operand{}};
      i.out = {pair.storage(m * n)};
      break;
    case Opcode::kSubtract:
      i.in = {pair.storage(m * n), pair.storage(m * n)};
      i.out = {pair.storage(m * n)};
      break;
    case Opcode::kZero:
      i.out = {pair.storage(m * n)};
      made.op_class = OpClass::kExact;
      break;
    case Opcode::kProject:
      i.m = 1, i.n = m * n, i.k = pair.size() * pair.size();
      i.in = {pair.storage(i.k)};
      i.out = {pair.storage(i.n)};
      break;
    case Opcode::kCopyColumns:
      i.in_at = static_cast<std::int64_t>(pair.below(3)), i.out_at = static_cast<std::int64_t>(pair.below(3));
      i.k = n + i.in_at + static_cast<std::int64_t>(pair.below(3));
      i.width = n + i.out_at + static_cast<std::int64_t>(pair.below(3));
      i.in = {pair.storage(m * i.k)};
      i.out = {pair.storage(m * i.width)};
      break;
    case Opcode::kSoftmax:
      i.in = {pair.storage(m * n)};
      i.out = {pair.storage(m * n)};
      made.op_class = OpClass::kTranscendental;
      made.magnitude = 1.0;
      break;
    case Opcode::kSoftmaxGrad:
      i.in = {pair.storage(m * n), pair.storage(m * n)};
      i.out = {pair.storage(m * n)};
      made.op_class = OpClass::kSum;
      made.terms = n;
      made.magnitude = 2.0 * (2.0 + 4.0 * std::sqrt(static_cast<double>(n)));
      break;
    case Opcode::kScaleRows:
      i.width = pair.size();
      i.in_at = static_cast<std::int64_t>(pair.below(static_cast<std::uint64_t>(i.width)));
      i.in = {pair.storage(m * n), pair.storage(m * i.width)};
      i.out = {pair.storage(m * n)};
      break;
    default:  // row_dot
      i.width = pair.size();
      i.out_at = static_cast<std::int64_t>(pair.below(static_cast<std::uint64_t>(i.width)));
      i.in = {pair.storage(m * n), pair.storage(m * n)};
      i.out = {pair.storage(m * i.width)};
      made.op_class = OpClass::kSum;
      made.terms = n;
      made.magnitude = 4.0 * std::sqrt(static_cast<double>(n));
  }
  return made;
}

Case decision_case(Opcode op, Pair& pair) {
  const std::int64_t m = pair.size(), n = pair.size();
  Case made;
  Instruction& i = made.instruction;
  i = instruction(op, m, n, 1, {}, {});
  i.scale = pair.number();
  i.value = 3, i.period = 4;
  switch (op) {
    case Opcode::kLossGap:
      pair.left_program().loss = pair.coin() ? Loss::kMse : Loss::kCrossEntropy;
      i.in = {pair.storage(m * n), pair.storage(m * n)};
      i.out = {pair.coin() ? pair.storage(m * n) : Operand{}, pair.real(9), pair.counter(9)};
      made.op_class = OpClass::kTranscendental;
      made.magnitude = 4.0;
      break;
    case Opcode::kClip: i.scale = std::abs(i.scale); [[fallthrough]];
    case Opcode::kRms:
      i.in = {pair.storage(m * n)};
      i.out = {pair.real(9)};
      break;
    case Opcode::kRatio:
      i.in = {pair.real(pair.number()), pair.real(pair.number())};
      i.out = {pair.real(9)};
      break;
    case Opcode::kIsFinite:
      i.in = {pair.storage(m * n)};
      i.out = {pair.counter(9)};
      break;
    case Opcode::kCount:
    case Opcode::kSet: i.out = {pair.counter(9)}; break;
    case Opcode::kEquals:
      i.in = {pair.counter(pair.below(5))};
      i.out = {pair.counter(9)};
      break;
    default:  // refresh
      i.in = {pair.counter(pair.below(9)), pair.counter(pair.below(5)), pair.real(pair.coin() ? 1.0 : 0.0)};
      i.out = {pair.counter(9)};
  }
  return made;
}

Case parameter_case(Opcode op, Pair& pair) {
  const std::int64_t m = pair.size(), n = pair.size(), k = pair.size();
  Case made;
  Instruction& i = made.instruction;
  i = instruction(op, m, n, k, {}, {});
  i.scale = std::abs(pair.number());
  switch (op) {
    case Opcode::kApply: {
      pair.left_program().optimizer.kind = static_cast<OptimizerKind>(pair.below(4));
      pair.left_program().optimizer.weight_decay = 0.01;
      i.in = {pair.storage(m * n), pair.counter(1 + pair.below(100))};
      const Operand p = pair.storage(m * n), v = pair.storage(m * n);
      i.out = {p, v, pair.storage(m * n, [&pair] { return 0.1 + std::abs(pair.number()); })};
      // AdamW at a young step divides moments that belong to an old one by 1 - beta^step: quotients up to 2/0.1/0.3.
      made.magnitude = 8.0;
      break;
    }
    case Opcode::kTargetBelow:
      i.in = {pair.storage(m * n), pair.storage(n * k)};
      i.out = {pair.storage(m * k)};
      made.op_class = OpClass::kSum;
      made.terms = n;
      made.magnitude = 4.0;  // a mean of tau, weighted
      break;
    case Opcode::kLinkBudget:
      i.in = {pair.storage(m * n), pair.storage(m * n)};
      i.out = {pair.real(9), pair.counter(9)};
      break;
    default:  // ascend
      i.in = {pair.storage(m * n), pair.real(pair.number())};
      i.out = {pair.storage(m * n)};
  }
  return made;
}

const std::vector<std::pair<Opcode, Case (*)(Opcode, Pair&)>> kCases{
    {Opcode::kForward, dense_case},        {Opcode::kDelta, dense_case},        {Opcode::kGradInput, dense_case},
    {Opcode::kWeightGrad, dense_case},     {Opcode::kBiasGrad, dense_case},     {Opcode::kUpdate, dense_case},
    {Opcode::kBiasUpdate, dense_case},     {Opcode::kScale, signal_case},       {Opcode::kSubtract, signal_case},
    {Opcode::kZero, signal_case},          {Opcode::kProject, signal_case},     {Opcode::kCopyColumns, signal_case},
    {Opcode::kSoftmax, signal_case},       {Opcode::kSoftmaxGrad, signal_case}, {Opcode::kScaleRows, signal_case},
    {Opcode::kRowDot, signal_case},        {Opcode::kLossGap, decision_case},   {Opcode::kRms, decision_case},
    {Opcode::kClip, decision_case},        {Opcode::kRatio, decision_case},     {Opcode::kIsFinite, decision_case},
    {Opcode::kCount, decision_case},       {Opcode::kSet, decision_case},       {Opcode::kEquals, decision_case},
    {Opcode::kRefresh, decision_case},     {Opcode::kApply, parameter_case},    {Opcode::kTargetBelow, parameter_case},
    {Opcode::kLinkBudget, parameter_case}, {Opcode::kAscend, parameter_case},
};

class InstructionParity : public testing::TestWithParam<std::tuple<const char*, std::size_t>> {
 protected:
  void SetUp() override {
    const auto backend = create_backend(std::get<0>(GetParam()), DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  }
};

TEST_P(InstructionParity, AgreesWithCpu) {
  const auto [device, index] = GetParam();
  const auto& [op, make] = kCases[index];
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Pair pair(1000 * index + seed, device);
    const Case made = make(op, pair);
    const Instruction& i = made.instruction;
    SCOPED_TRACE(testing::Message() << to_string(op) << " seed " << seed << " m " << i.m << " n " << i.n << " k "
                                    << i.k);
    worst = std::max(worst, pair.run(i, made.op_class, made.magnitude, made.terms));
    if (HasFailure()) return;
  }
  RecordProperty("share_of_tolerance", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, InstructionParity,
                         testing::Combine(testing::Values("native_cpu", "cuda", "metal"),
                                          testing::Range(std::size_t{0}, kCases.size())),
                         [](const auto& info) {
                           const Opcode op = kCases[std::get<1>(info.param)].first;
                           return std::string(std::get<0>(info.param)) + "_" + std::string(to_string(op));
                         });

TEST(InstructionParityTable, HoldsEveryInstruction) {
  std::set<Opcode> all{
#define WEFT_INSTRUCTION(identifier, ...) Opcode::k##identifier,
#include "src/program/instructions.def"
#undef WEFT_INSTRUCTION
  };
  for (const auto& entry : kCases) all.erase(entry.first);
  for (const Opcode op : all) ADD_FAILURE() << to_string(op) << " is compared by no case";
}

}  // namespace
}  // namespace weft::test
