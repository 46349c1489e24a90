// What a training call costs: operations of its products counted by hand, and its instructions.
#include "src/program/cost.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"

namespace weft::test {
namespace {

Instruction sized(Opcode op) {
  Instruction i;
  i.op = op;
  i.m = 2, i.n = 3, i.k = 5;
  return i;
}

TEST(Cost, OfProductsAlone) {
  for (const Opcode op :
       {Opcode::kForward, Opcode::kGradInput, Opcode::kWeightGrad, Opcode::kUpdate, Opcode::kTargetBelow})
    EXPECT_EQ(product_operations(sized(op)), 60.0) << to_string(op);
  for (const Opcode op : {Opcode::kDelta, Opcode::kBiasUpdate, Opcode::kApply, Opcode::kProject, Opcode::kLossGap})
    EXPECT_EQ(product_operations(sized(op)), 0.0) << to_string(op);
}

TEST(Cost, OfWhatAPredicateGuards) {
  Program program;
  program.code = {sized(Opcode::kForward), sized(Opcode::kUpdate), sized(Opcode::kDelta)};
  program.code[1].when[0] = {.counter = 4};
  EXPECT_EQ(product_operations(program), 120.0);
}

TEST(Cost, DoesNotOverflow) {
  Instruction large = sized(Opcode::kForward);
  large.m = large.n = large.k = std::int64_t{1} << 30;
  EXPECT_EQ(product_operations(large), 0x1p91);
}

constexpr std::int64_t kBatch = 7;
constexpr double kIn = 6, kHidden = 5, kOut = 4;

TestModel two_layers(Schedule schedule) {
  TestModel model = chain(schedule, {dense(6, 5, Activation::kTanh), dense(5, 4, Activation::kLinear)});
  std::visit([](auto& root) { root.initialise().value(); }, model.root);
  return model;
}

/// 6-5-4 for a schedule, its cost in a mode, and how many lines print_program has for the program.
struct Costed {
  CallCost cost;
  std::int64_t listed = 0;
};

Costed cost_of(const char* name, Optimizer optimizer = {}) {
  const Mode mode = parse_mode(name).value();
  const TestModel model = two_layers(mode.schedule);
  Trainer trainer(model, {.device = "cpu", .optimizer = optimizer});
  const Shape input{kBatch, 6}, target{kBatch, 4};
  const TrainOptions options{.mode = mode, .ticks = 2};
  const std::string text = trainer.session().print_program(input, target, options).value();
  const std::size_t line = text.find('\n') + 1;
  return {trainer.session().cost(input, target, options).value(), std::stoll(text.substr(line))};
}

TEST(Cost, OfNormalBP) {
  // Forward of both, weights of both, and what goes down into the first: nothing goes below it.
  const double products = 2 * kIn * kHidden + 3 * kHidden * kOut;
  const Costed got = cost_of("NormalBP");
  EXPECT_EQ(got.cost.operations, 2 * kBatch * products);
  EXPECT_EQ(got.cost.instructions, got.listed);
  EXPECT_GT(got.cost.instructions, 4);
  // An optimizer with state: as many products, one instruction more where gradient and step are two.
  const Costed momentum_cost = cost_of("NormalBP", momentum());
  EXPECT_EQ(momentum_cost.cost.operations, got.cost.operations);
  EXPECT_GT(momentum_cost.cost.instructions, got.cost.instructions);
}

TEST(Cost, OfTheLineOnceItIsFull) {
  // A fresh session has nothing in the pipe; the cost is that of a call that pops a sample.
  const Costed line = cost_of("StepBP"), stack = cost_of("NormalBP");
  EXPECT_EQ(line.cost.operations, stack.cost.operations);
  EXPECT_EQ(line.cost.instructions, line.listed);
}

TEST(Cost, OfAMeshByItsTicks) {
  const TestModel model = two_layers(Schedule::kMesh);
  Trainer trainer(model, {.device = "cpu"});
  const auto cost = [&](int ticks) {
    return trainer.session().cost({kBatch, 6}, {kBatch, 4}, {.mode = "MeshBP", .ticks = ticks}).value().operations;
  };
  // More ticks than layers reach no further.
  EXPECT_EQ(cost(2), cost_of("NormalBP").cost.operations);
  EXPECT_EQ(cost(4), cost(2));
  const auto short_of = trainer.session().cost({kBatch, 6}, {kBatch, 4}, {.mode = "MeshBP", .ticks = 1});
  EXPECT_EQ(short_of.status().message().rfind("cost: after 1 ticks", 0), 0u) << short_of.status().message();
}

TEST(Cost, NamesWhatCannotBe) {
  const TestModel model = two_layers(Schedule::kStack);
  Trainer trainer(model);
  const auto message = [&](const Shape& input, const Shape& target, const TrainOptions& options) {
    return trainer.session().cost(input, target, options).status().message();
  };
  EXPECT_EQ(message({6}, {1, 4}, {}), "cost: input is [6], wanted [batch, features]");
  EXPECT_EQ(message({1, 6}, {1, 4}, {.alt_times = 0}), "cost: alt_times is 0, wanted 1 or more");
  EXPECT_NE(message({1, 6}, {1, 3}, {}).find("[1, 3]"), std::string::npos);
  EXPECT_NE(message({1, 7}, {1, 4}, {}), "");
  ASSERT_TRUE(trainer.session().close().ok());
  EXPECT_EQ(trainer.session().cost({1, 6}, {1, 4}, {}).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace weft::test
