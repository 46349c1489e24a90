// Model JSON: round trips, and strictness with paths.
#include <gmock/gmock.h>

#include "weft/model_file.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;

std::string complaint(const std::string& text) {
  const auto model = model_from_json(text);
  if (model.ok()) return "ok";
  EXPECT_EQ(model.status().code(), StatusCode::kInvalidArgument);
  return model.status().message();
}

// Reading a stack of these ops.
std::string ops(const std::string& list) {
  return complaint(R"({"weft": 1, "model": {"type": "stack", "ops": [)" + list + "]}}");
}

std::string cells(const std::string& dims, const std::string& list) {
  return complaint(R"({"weft": 1, "grid": {"dims": )" + dims + R"(, "cells": [)" + list + "]}}");
}

const std::string kDense = R"({"type": "dense", "in": 2, "out": 2, "act": "relu"})";

Stack everything() {
  const OptionalMode tween = Mode{Schedule::kStack, Rule::kTween};
  Parallel branches = parallel(Combine::kConcat, {dense(3, 2), stack({dense(3, 2)})}, {tween});
  branches.name = "cameral";
  Stack model = stack({dense(2, 3, gelu, {.bias = true, .dtype = DType::kFloat64, .name = "fc"}), branches,
                       filter({dense(4, 4), dense(4, 4)}, dense(4, 2, linear, {.name = "gate"}), {std::nullopt, tween}),
                       residual({dense(4, 4, silu), flatten()}), view({-1, 2, 2}), flatten(),
                       dense(4, 1, linear, {.dtype = DType::kInt4, .format = Format::kIQ2XXS})},
                      {std::nullopt, tween, std::nullopt, std::nullopt, std::nullopt, std::nullopt, tween});
  model.name = "root \"quoted\"";
  return model;
}

TEST(ModelJson, AStackRoundTrips) {
  const std::string text = to_json(everything());
  const auto model = model_from_json(text);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(to_json(*model), text);
  const Stack& stack = std::get<Stack>(*model);
  ASSERT_EQ(stack.ops.size(), 7u);
  EXPECT_EQ(stack.name, "root \"quoted\"");
  EXPECT_EQ(stack.child_modes, everything().child_modes);
  const Dense& first = *stack.ops[0].get_if<Dense>();
  EXPECT_EQ(first.in, 2);
  EXPECT_EQ(first.out, 3);
  EXPECT_EQ(first.activation, gelu);
  EXPECT_EQ(first.dtype, DType::kFloat64);
  EXPECT_TRUE(first.bias.has_value());
  EXPECT_EQ(first.name, "fc");
  EXPECT_EQ(stack.ops[1].get_if<Parallel>()->branch_modes.size(), 1u);
  EXPECT_EQ(stack.ops[2].get_if<Parallel>()->gate->name, "gate");
  EXPECT_EQ(stack.ops[4].get_if<View>()->shape, (std::vector<std::int64_t>{-1, 2, 2}));
  EXPECT_EQ(stack.ops[6].get_if<Dense>()->format, Format::kIQ2XXS);
}

TEST(ModelJson, AGridRoundTrips) {
  Grid grid(2, 1, 2, 1);
  grid.cells[0].disabled = true;
  grid.cells[0].remote_link = 2;
  for (std::size_t i = 1; i < 4; ++i) grid.cells[i].op = stack({dense(2, 2)});
  grid.cells[3].remote_link = 3;
  const std::string text = to_json(grid);
  const auto model = model_from_json(text);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(to_json(*model), text);
  const Grid& read = std::get<Grid>(*model);
  EXPECT_EQ(read.depth, 2);
  EXPECT_EQ(read.cols, 2);
  EXPECT_TRUE(read.cells[0].disabled);
  EXPECT_EQ(read.cells[3].remote_link, 3);
  EXPECT_FALSE(read.cells[1].remote_link.has_value());
}

TEST(ModelJson, DefaultsAreFloat32WithoutBias) {
  const auto model = model_from_json(R"({"weft":1,"model":{"type":"stack","ops":[)" + kDense + "]}}");
  ASSERT_TRUE(model.ok());
  const Dense& op = *leaves(std::get<Stack>(*model))[0];
  EXPECT_EQ(op.dtype, DType::kFloat32);
  EXPECT_EQ(op.format, Format::kNone);
  EXPECT_FALSE(op.bias.has_value());
}

TEST(ModelJson, TheTopLevel) {
  EXPECT_THAT(complaint("nonsense"), HasSubstr("parse error at line 1"));
  EXPECT_EQ(complaint("[]"), "JSON: a list of 0, wanted an object");
  EXPECT_EQ(complaint("{}"), "JSON: the key 'weft' is missing");
  EXPECT_EQ(complaint(R"({"weft": 2, "model": {}})"), "weft: 2, wanted 1, the version this build reads");
  EXPECT_THAT(complaint(R"({"weft": "1", "model": {}})"), HasSubstr("weft: '1', wanted an integer"));
  EXPECT_EQ(complaint(R"({"weft": 1})"), "JSON: wanted one of the keys 'model' and 'grid'");
  EXPECT_EQ(complaint(R"({"weft": 1, "model": {}, "grid": {}})"), "JSON: wanted one of the keys 'model' and 'grid'");
  EXPECT_THAT(complaint(R"({"weft": 1, "modle": {}})"), HasSubstr("unknown key 'modle', wanted weft, model, grid"));
  EXPECT_EQ(complaint(R"({"weft": 1, "model": )" + kDense + "}"), "model: a dense, wanted a stack");
  EXPECT_EQ(complaint(R"({"weft": 1, "weft": 1, "model": {}})"), "weft: the key appears twice, wanted once");
}

TEST(ModelJson, KeysAreStrict) {
  EXPECT_EQ(ops("3"), "model.ops[0]: 3, wanted an object");
  EXPECT_EQ(ops("{}"), "model.ops[0]: the key 'type' is missing");
  EXPECT_EQ(ops(R"({"type": "conv"})"),
            "model.ops[0].type: 'conv', wanted dense, stack, parallel, residual, view or flatten");
  EXPECT_EQ(ops(R"({"type": 1})"), "model.ops[0].type: 1, wanted a text");
  EXPECT_EQ(ops(kDense + R"(, {"type": "dense", "in": 2, "act": "relu"})"), "model.ops[1]: the key 'out' is missing");
  EXPECT_EQ(ops(R"({"type": "dense", "in": 2, "out": 2, "act": "relu", "activation": "relu"})"),
            "model.ops[0]: unknown key 'activation', wanted type, in, out, act, dtype, format, bias, name");
  EXPECT_THAT(ops(R"({"type": "flatten", "in": 1})"), HasSubstr("model.ops[0]: unknown key 'in'"));
  EXPECT_THAT(ops(R"({"type": "dense", "in": 2, "out": 2, "act": "relu", "bias": 1})"),
              HasSubstr("model.ops[0].bias: 1, wanted true or false"));
  EXPECT_THAT(ops(R"({"type": "dense", "in": 2, "out": 2, "act": "relu", "name": null})"),
              HasSubstr("model.ops[0].name: null, wanted a text"));
}

TEST(ModelJson, NamesAreStrict) {
  EXPECT_THAT(ops(R"({"type": "dense", "in": 2, "out": 2, "act": "rleu"})"),
              HasSubstr("model.ops[0].act: unknown name 'rleu'; nearest known: relu"));
  EXPECT_THAT(ops(R"({"type": "dense", "in": 2, "out": 2, "act": "relu", "dtype": "f32"})"),
              HasSubstr("model.ops[0].dtype: unknown name 'f32'"));
  EXPECT_THAT(ops(R"({"type": "dense", "in": 2, "out": 2, "act": "relu", "format": "zip"})"),
              HasSubstr("model.ops[0].format: "));
  EXPECT_THAT(ops(R"({"type": "parallel", "combine": "sum", "branches": [)" + kDense + "]}"),
              HasSubstr("model.ops[0].combine: unknown name 'sum'"));
  EXPECT_THAT(ops(R"({"type": "stack", "ops": [)" + kDense + R"(], "child_modes": ["twen"]})"),
              HasSubstr("model.ops[0].child_modes[0]: unknown name 'twen'; nearest known: Tween"));
}

TEST(ModelJson, SizesAreStrict) {
  const auto with = [](const std::string& in, const std::string& out) {
    return ops(R"({"type": "dense", "in": )" + in + R"(, "out": )" + out + R"(, "act": "relu"})");
  };
  EXPECT_EQ(with("1e9", "1"), "model.ops[0].in: 1000000000.0, wanted an integer from 1 to 1099511627776");
  EXPECT_THAT(with("0", "1"), HasSubstr("model.ops[0].in: 0, wanted"));
  EXPECT_THAT(with("1", "-1"), HasSubstr("model.ops[0].out: -1, wanted"));
  EXPECT_THAT(with("18446744073709551616", "1"), HasSubstr("model.ops[0].in: "));
  EXPECT_EQ(with("1099511627776", "1"), "ok");
  EXPECT_EQ(with("1099511627776", "1099511627776"),
            "model.ops[0]: in 1099511627776 x out 1099511627776, wanted a product of at most 2^40");
  EXPECT_THAT(ops(R"({"type": "view", "shape": []})"),
              HasSubstr("model.ops[0].shape: a list of 0, wanted 1 to 8 axes"));
  EXPECT_THAT(ops(R"({"type": "view", "shape": [0]})"),
              HasSubstr("model.ops[0].shape[0]: 0, wanted a size of 1 or more, or -1"));
  EXPECT_THAT(ops(R"({"type": "view", "shape": [-1, 2, -1]})"), HasSubstr("model.ops[0].shape[2]: a second -1"));
  EXPECT_THAT(ops(R"({"type": "view", "shape": [-2]})"), HasSubstr("model.ops[0].shape[0]: -2"));
  EXPECT_THAT(ops(R"({"type": "view", "shape": [1099511627776, 1099511627776]})"), HasSubstr("2^40"));
}

TEST(ModelJson, ParallelIsStrict) {
  EXPECT_THAT(ops(R"({"type": "parallel", "combine": "add", "branches": []})"),
              HasSubstr("model.ops[0].branches: a list of 0, wanted at least one branch"));
  EXPECT_THAT(ops(R"({"type": "parallel", "combine": "filter", "branches": [)" + kDense + "]}"),
              HasSubstr("the key 'gate' is missing"));
  EXPECT_THAT(ops(R"({"type": "parallel", "combine": "add", "gate": )" + kDense + R"(, "branches": [)" + kDense + "]}"),
              HasSubstr("model.ops[0].gate: not used by combine 'add', wanted none"));
  EXPECT_THAT(
      ops(R"({"type": "parallel", "combine": "filter", "gate": {"type": "flatten"}, "branches": [)" + kDense + "]}"),
      HasSubstr("model.ops[0].gate: a flatten, wanted a dense"));
  EXPECT_THAT(
      ops(R"({"type": "parallel", "combine": "add", "branches": [)" + kDense + R"(], "branch_modes": ["bp", "bp"]})"),
      HasSubstr("model.ops[0].branch_modes: a list of 2, wanted at most 1 modes"));
  EXPECT_THAT(ops(R"({"type": "stack", "ops": [)" + kDense + "," + kDense + R"(], "child_modes": ["bp"]})"),
              HasSubstr("model.ops[0].child_modes: a list of 1, wanted 2 modes"));
}

TEST(ModelJson, GridsAreStrict) {
  const std::string cell = R"({"op": )" + kDense + "}";
  EXPECT_EQ(cells("[2, 1, 1, 1]", R"({"disabled": true}, )" + cell), "ok");
  EXPECT_EQ(cells("[2, 1, 1]", cell), "grid.dims: a list of 3, wanted a list of 4: depth, rows, cols, layers_per_cell");
  EXPECT_THAT(cells("[0, 1, 1, 1]", cell), HasSubstr("grid.dims[0]: 0, wanted an integer from 1"));
  EXPECT_EQ(cells("[1048576, 1048576, 1048576, 1048576]", cell),
            "grid.dims: [1048576,1048576,1048576,1048576], wanted at most 1048576 cells");
  EXPECT_EQ(cells("[2, 1, 1, 1]", cell), "grid.cells: a list of 1, wanted 2 cells, as dims say");
  EXPECT_THAT(cells("[1, 1, 1, 1]", "{}"), HasSubstr("grid.cells[0]: enabled without an op"));
  EXPECT_THAT(cells("[1, 1, 1, 1]", R"({"disabled": true, "remote": 1})"),
              HasSubstr("grid.cells[0].remote: 1, wanted an integer from 0 to 0"));
  EXPECT_THAT(cells("[1, 1, 1, 1]", R"({"opp": 1})"),
              HasSubstr("grid.cells[0]: unknown key 'opp', wanted disabled, op, remote"));
  EXPECT_THAT(cells("[1, 1, 1, 1]", R"({"op": {"type": "dense", "in": "x", "out": 1, "act": "relu"}})"),
              HasSubstr("grid.cells[0].op.in: 'x', wanted an integer"));
}

std::string nested(int depth) {
  std::string open = R"({"weft": 1, "model": )", close = "}";
  for (int i = 0; i < depth; ++i) {
    open += R"({"type": "stack", "ops": [)";
    close = "]}" + close;
  }
  return open + close;
}

TEST(ModelJson, DepthIsLimited) {
  EXPECT_EQ(complaint(nested(64)), "ok");
  EXPECT_THAT(complaint(nested(65)), HasSubstr("ops nested deeper than 64"));
  EXPECT_THAT(complaint(nested(100'000)), HasSubstr("nested deeper than"));
  EXPECT_THAT(complaint(std::string(1'000'000, '[')), HasSubstr("nested deeper than"));
}

TEST(ModelJson, BadUtf8InANameDoesNotThrow) {
  Stack model{dense(1, 1, linear, {.name = "\xff\xfe"})};
  EXPECT_TRUE(model_from_json(to_json(model)).ok());
}

}  // namespace
}  // namespace weft
