// Ops: making, copying, naming and walking them.
#include "weft/op.hpp"

#include <gmock/gmock.h>

#include <type_traits>
#include <utility>

namespace weft {
namespace {

using ::testing::ElementsAre;

static_assert(std::is_copy_constructible_v<Op> && std::is_nothrow_move_constructible_v<Op>);
static_assert(!std::is_constructible_v<Op, int> && !std::is_constructible_v<Op, std::vector<Op>>,
              "only ops become ops");

Dense named(std::string name) { return dense(2, 2, linear, {.name = std::move(name)}); }

Stack example() {
  return Stack{named("a"), stack({named("b"), flatten()}),
               filter({named("c"), residual({named("d"), view({-1, 2})})}, named("gate")), named("e")};
}

std::vector<std::string> names(const Stack& model) {
  std::vector<std::string> result;
  for (const Dense* leaf : leaves(model)) result.push_back(leaf->name);
  return result;
}

TEST(Op, LeavesAreInForwardOrderThenTheGate) {
  EXPECT_THAT(names(example()), ElementsAre("a", "b", "c", "d", "gate", "e"));
  const Op op = example();
  EXPECT_EQ(leaves(op).size(), 6u);
  EXPECT_TRUE(leaves(Op(view({2}))).empty());
}

TEST(Op, LeavesCanBeChanged) {
  Stack model = example();
  for (Dense* leaf : leaves(model)) leaf->name += "!";
  EXPECT_THAT(names(model), ElementsAre("a!", "b!", "c!", "d!", "gate!", "e!"));
  Op op = std::move(model);
  leaves(op)[1]->name = "z";
  EXPECT_EQ(std::as_const(op).get_if<Stack>()->ops[1].get_if<Stack>()->ops[0].name(), "z");
}

TEST(Op, CopiesAreDeepAndMovesKeepLeavesWhereTheyAre) {
  Stack model = example();
  model.initialise().value();
  Stack copy = model;
  leaves(copy)[3]->weight.mutable_values<float>()[0] = 42.0f;
  EXPECT_NE(leaves(model)[3]->weight.at(0), 42.0);
  const Dense* before = leaves(copy)[3];
  const Stack moved = std::move(copy);
  EXPECT_EQ(leaves(moved)[3], before);
  Stack assigned;
  assigned = moved;
  EXPECT_EQ(leaves(assigned)[3]->weight.at(0), 42.0);
}

TEST(Op, KnowsItsKindAndName) {
  Residual body = residual({named("x")});
  body.name = "skip";
  const Op op = body;
  EXPECT_EQ(op.kind_name(), "residual");
  EXPECT_EQ(op.name(), "skip");
  EXPECT_EQ(Op(named("fc")).kind_name(), "dense");
  EXPECT_EQ(Op(stack({})).kind_name(), "stack");
  EXPECT_EQ(Op(parallel(Combine::kAdd, {})).kind_name(), "parallel");
  EXPECT_EQ(Op(view({1})).kind_name(), "view");
  EXPECT_EQ(Op(flatten()).kind_name(), "flatten");
}

TEST(Op, FactoriesFillEveryField) {
  const Dense d = dense(3, 2, gelu, {.bias = true, .dtype = DType::kFloat64, .format = Format::kQ80, .name = "fc"});
  EXPECT_EQ(d.in, 3);
  EXPECT_EQ(d.out, 2);
  EXPECT_EQ(d.activation, gelu);
  EXPECT_EQ(d.dtype, DType::kFloat64);
  EXPECT_EQ(d.format, Format::kQ80);
  EXPECT_EQ(d.name, "fc");
  ASSERT_TRUE(d.bias.has_value());
  EXPECT_TRUE(d.bias->empty());
  EXPECT_FALSE(dense(3, 2).bias.has_value());

  const OptionalMode tween = Mode{Schedule::kStack, Rule::kTween};
  EXPECT_THAT(stack({named("a")}, {tween}).child_modes, ElementsAre(tween));
  EXPECT_THAT(filter({named("a")}, named("g"), {std::nullopt}).branch_modes, ElementsAre(std::nullopt));
  EXPECT_EQ(filter({}, named("g")).combine, Combine::kFilter);
  EXPECT_THAT(view({-1, 4}).shape, ElementsAre(-1, 4));
}

TEST(Op, GivenValuesAndABiasBesideThem) {
  const Tensor weight(Shape{2, 1}, std::vector<double>{1, 2});
  const Dense zeros = dense(1, 2, linear, {.bias = true, .weight = weight});
  ASSERT_TRUE(zeros.bias.has_value());
  EXPECT_THAT(zeros.bias->values<double>(), ElementsAre(0, 0));
  const Dense given =
      dense(1, 2, linear, {.weight = weight, .bias_values = Tensor(Shape{2}, std::vector<float>{3, 4})});
  ASSERT_TRUE(given.bias.has_value());
  EXPECT_THAT(given.bias->values<float>(), ElementsAre(3, 4));
}

}  // namespace
}  // namespace weft
