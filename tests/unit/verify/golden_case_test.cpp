// Reading golden cases: what is taken, what is refused and where, what is none of ours.
#include "src/verify/golden_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::verify {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json sound_case() {
  return json::parse(R"({
    "name": "small", "seed": "7", "note": "made for this test",
    "model": {"type": "stack", "ops": [
      {"type": "dense", "in": 2, "out": 1, "act": "tanh", "dtype": "float32", "format": "none", "w": [0.5, -0.25], "bias": [0.125]}]},
    "mode": "NormalBP", "loss": "mse", "lr": 0.1, "calls": 1,
    "input_shape": [3, 2], "target_shape": [3, 1], "inputs": [[1, 2, 3, 4, 5, 6]], "targets": [[1, 0, 1]],
    "expect": {"losses": [0.5], "weights": [[0.5, -0.25]], "biases": [[0.125]],
               "forward_in": [1, 2], "forward_out": [0.1], "forward_out_shape": [1, 1]}})");
}

Status refusal(const json& document) {
  const Result<GoldenCase> golden = read_golden_case(Field(document, ""));
  return golden.ok() ? Status() : golden.status();
}

void expect_refused(const json& document, StatusCode code, const std::string& text) {
  const Status status = refusal(document);
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(text));
}

TEST(GoldenCase, IsReadWhole) {
  const json document = sound_case();
  ASSERT_TRUE(is_golden_case(document));
  const Result<GoldenCase> golden = read_golden_case(Field(document, ""));
  ASSERT_TRUE(golden.ok()) << golden.status().message();
  EXPECT_EQ(golden->name, "small");
  EXPECT_EQ(golden->options.lr, 0.1);
  EXPECT_EQ(golden->options.alt_times, 1);
  EXPECT_EQ(golden->input_shape, Shape({3, 2}));
  EXPECT_EQ(golden->expect.forward->input_shape, Shape({1, 2}));
  const auto found = leaves(std::get<Stack>(golden->model));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->activation, Activation::kTanh);
  EXPECT_EQ(found[0]->weight.at(1), -0.25);
  EXPECT_EQ(found[0]->bias->at(0), 0.125);
}

TEST(GoldenCase, MayLeaveOutWhatHasADefault) {
  json document = sound_case();
  for (const char* key : {"name", "seed", "note", "loss", "calls"}) document.erase(key);
  for (const char* key : {"act", "dtype", "format", "bias"}) document["model"]["ops"][0].erase(key);
  document["expect"] = {{"losses", {0.5}}};
  EXPECT_TRUE(refusal(document).ok()) << refusal(document).message();
}

TEST(GoldenCase, NamesTheFieldThatIsWrong) {
  json document = sound_case();
  document.erase("lr");
  expect_refused(document, StatusCode::kInvalidArgument, "lr: missing");

  document = sound_case();
  document["mode"] = "NormalPB";
  expect_refused(document, StatusCode::kInvalidArgument, "mode: ");

  document = sound_case();
  document["model"]["ops"][0]["w"] = {1, 2, 3};
  expect_refused(document, StatusCode::kInvalidArgument, "model.ops[0].w: ");

  document = sound_case();
  document["model"]["ops"][0]["in"] = -2;
  expect_refused(document, StatusCode::kInvalidArgument, "model.ops[0].in: ");

  document = sound_case();
  document["inputs"][0][3] = "four";
  expect_refused(document, StatusCode::kInvalidArgument, "inputs[0][3]: ");

  document = sound_case();
  document["targets"] = {{1, 0}};
  expect_refused(document, StatusCode::kInvalidArgument, "targets[0]: ");

  document = sound_case();
  document["calls"] = 2;
  expect_refused(document, StatusCode::kInvalidArgument, "inputs: ");

  document = sound_case();
  document["expect"]["losses"] = {0.5, 0.4};
  expect_refused(document, StatusCode::kInvalidArgument, "expect.losses: ");

  document = sound_case();
  document["expect"]["weights"] = {{0.5, -0.25}, {1}};
  expect_refused(document, StatusCode::kInvalidArgument, "expect.weights: ");

  document = sound_case();
  document["expect"] = json::object();
  expect_refused(document, StatusCode::kInvalidArgument, "expect: ");

  document = sound_case();
  document.erase("model");
  expect_refused(document, StatusCode::kInvalidArgument, "model, grid: missing");
}

TEST(GoldenCase, SaysWhatIsNotCarriedOut) {
  json document = sound_case();
  document["model"]["ops"][0]["type"] = "lstm";
  expect_refused(document, StatusCode::kUnsupported, "op 'lstm'");

  document = sound_case();
  document["model"]["ops"][0]["dtype"] = "int8";
  expect_refused(document, StatusCode::kUnsupported, "dtype 'int8'");

  document = sound_case();
  document["model"]["ops"][0]["format"] = "Q4_0";
  expect_refused(document, StatusCode::kUnsupported, "format 'Q4_0'");

  document = sound_case();
  document["cache_every"] = 5;
  expect_refused(document, StatusCode::kUnsupported, "cache_every");

  document = sound_case();
  document["dropout"] = 0.5;
  expect_refused(document, StatusCode::kUnsupported, "dropout: unknown field");

  document = sound_case();
  document["expect_reference"] = document["expect"];
  document.erase("expect");
  expect_refused(document, StatusCode::kUnsupported, "expect_reference");
}

TEST(GoldenCase, PrefersTheSpecification) {
  json document = sound_case();
  document["expect_spec"] = {{"losses", {0.75}}};
  document["expect_reference"] = {{"losses", {0.25}}};
  const Result<GoldenCase> golden = read_golden_case(Field(document, ""));
  ASSERT_TRUE(golden.ok()) << golden.status().message();
  EXPECT_EQ(golden->expect.losses->front(), 0.75);
  EXPECT_FALSE(golden->expect.weights);
}

TEST(GoldenCase, ReadsGridsWithLinks) {
  json document = sound_case();
  json cell = document["model"]["ops"][0];
  cell["out"] = 2;
  cell["w"] = {1, 2, 3, 4};
  cell["bias"] = json::array();
  document.erase("model");
  document["mode"] = "MeshBP";
  document["ticks"] = 6;
  document["grid"] = {{"dims", {3, 1, 1, 1}},
                      {"cells", {{{"disabled", true}}, {{"op", cell}}, {{"op", cell}, {"remote", 0}}}}};
  document["expect"] = {{"losses", {0.5}}};
  const Result<GoldenCase> golden = read_golden_case(Field(document, ""));
  ASSERT_TRUE(golden.ok()) << golden.status().message();
  const Grid& grid = std::get<Grid>(golden->model);
  EXPECT_TRUE(grid.cells[0].disabled);
  EXPECT_EQ(grid.cells[2].remote_link, 0);
  EXPECT_FALSE(leaves(grid)[0]->bias);  // an empty list: none
  EXPECT_EQ(golden->options.ticks, 6);

  document["grid"]["cells"][2]["remote"] = 3;
  expect_refused(document, StatusCode::kInvalidArgument, "grid.cells[2].remote: ");
  document["grid"]["cells"][2]["remote"] = 0;
  document["grid"]["cells"].erase(1);
  expect_refused(document, StatusCode::kInvalidArgument, "grid.cells: ");
}

}  // namespace
}  // namespace weft::verify
