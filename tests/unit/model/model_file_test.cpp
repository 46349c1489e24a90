// Saving and loading models.
#include "weft/model_file.hpp"

#include <gmock/gmock.h>

#include "src/io/safetensors.h"
#include "tests/unit/io/temporary_folder.h"
#include "weft/version.hpp"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Stack example() {
  Stack model{dense(3, 2, relu, {.bias = true, .name = "fc1"}), dense(2, 2, linear, {.dtype = DType::kFloat64})};
  model.initialise({.seed = 5}).value();
  leaves(model)[0]->bias->mutable_values<float>()[1] = 0.25f;
  return model;
}

void expect_same_weights(const Model& read, const std::vector<const Dense*>& wanted) {
  const auto seen = std::visit([](const auto& model) { return leaves(model); }, read);
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i]->weight.shape(), wanted[i]->weight.shape());
    ASSERT_EQ(seen[i]->weight.dtype(), wanted[i]->weight.dtype());
    for (std::int64_t j = 0; j < seen[i]->weight.elements(); ++j)
      EXPECT_EQ(seen[i]->weight.at(j), wanted[i]->weight.at(j));
    ASSERT_EQ(seen[i]->bias.has_value(), wanted[i]->bias.has_value());
    if (!seen[i]->bias) continue;
    for (std::int64_t j = 0; j < seen[i]->bias->elements(); ++j)
      EXPECT_EQ(seen[i]->bias->at(j), wanted[i]->bias->at(j));
  }
}

TEST(ModelFile, AStackRoundTrips) {
  const test::TemporaryFolder folder;
  const Stack model = example();
  ASSERT_TRUE(save(model, folder / "deep/er", {{"mode", "TweenSplit"}, {"seed", "5"}}).ok());
  const auto read = load(folder / "deep/er");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(to_json(*read), to_json(model));
  expect_same_weights(*read, leaves(model));

  const auto weights = read_safetensors(folder / "deep/er" / "weights.safetensors");
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(weights->metadata,
            (std::map<std::string, std::string>{{"mode", "TweenSplit"}, {"seed", "5"}, {"weft_version", version()}}));
  std::vector<std::string> names;
  for (const auto& array : weights->arrays) names.push_back(array.name);
  EXPECT_THAT(names, ElementsAre("leaf.2.weight", "leaf.1.weight", "leaf.1.bias"));  // the float64 one comes first
}

TEST(ModelFile, AGridRoundTrips) {
  const test::TemporaryFolder folder;
  Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = dense(2, 2, relu, {.bias = true});
  grid.cells[2].op = stack({dense(2, 1)});
  grid.initialise().value();
  ASSERT_TRUE(save(Model(grid), folder.path()).ok());
  const auto read = load(folder.path());
  ASSERT_TRUE(read.ok()) << read.status().message();
  expect_same_weights(*read, leaves(std::as_const(grid)));
  EXPECT_THAT(folder.names(), ElementsAre("model.json", "weights.safetensors"));
}

TEST(ModelFile, SavingRefusesAndWritesNothing) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const Stack& model) {
    const Status status = save(model, folder / "m");
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_TRUE(folder.names().empty());
    return status.message();
  };
  EXPECT_EQ(refused(Stack{dense(2, 2, relu, {.name = "fc"})}),
            "save: dense 'fc' (leaf 1): leaf.1.weight has no values, wanted [2, 2]: give them or initialise the model");
  Stack wrong = example();
  leaves(wrong)[1]->weight = Tensor(Shape{2, 3});
  EXPECT_EQ(refused(wrong), "save: dense (leaf 2): leaf.2.weight is [2, 3], wanted [2, 2]");
  wrong = example();
  leaves(wrong)[1]->weight = Tensor(Shape{2, 2});
  EXPECT_EQ(refused(wrong), "save: dense (leaf 2): leaf.2.weight is float32, wanted float64");
  Stack bias = example();
  leaves(bias)[0]->bias = Tensor();
  EXPECT_THAT(refused(bias), HasSubstr("leaf.1.bias has no values, wanted [2]"));
  Stack modes = example();
  modes.child_modes.resize(1);
  EXPECT_THAT(refused(modes), HasSubstr("save: model.child_modes: a list of 1, wanted 2 modes"));
  EXPECT_THAT(save(Grid(1, 1, 1, 1), folder / "m").message(), HasSubstr("cell 0: enabled without an op"));
}

TEST(ModelFile, SavingToWhereAFileIsFails) {
  const test::TemporaryFolder folder;
  test::spill(folder / "m", "a file");
  const Status status = save(example(), folder / "m");
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr((folder / "m").string()));
  EXPECT_EQ(test::slurp(folder / "m"), "a file");
}

TEST(ModelFile, LoadingNamesWhatIsWrong) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(load(folder / "gone").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(load(folder / "gone").status().message(),
              HasSubstr("load: read '" + (folder / "gone/model.json").string() + "': No such file"));

  ASSERT_TRUE(save(example(), folder.path()).ok());
  const auto weights = folder / "weights.safetensors";
  const std::string good = test::slurp(weights);
  const auto complaint = [&] {
    const auto model = load(folder.path());
    EXPECT_EQ(model.status().code(), StatusCode::kDataLoss);
    EXPECT_THAT(model.status().message(), HasSubstr(weights.string()));
    return model.status().message();
  };
  test::spill(weights, good.substr(0, good.size() - 1));
  EXPECT_THAT(complaint(), HasSubstr("bytes of data, wanted"));

  const float f[6] = {};
  const std::uint64_t u[6] = {};
  const double d[6] = {};
  const SafetensorsView first{"leaf.1.weight", SafetensorsType::kF32, {2, 3}, f},
      bias{"leaf.1.bias", SafetensorsType::kF32, {2}, f}, second{"leaf.2.weight", SafetensorsType::kF64, {2, 2}, d};
  ASSERT_TRUE(write_safetensors(weights, {first, second}, {}).ok());
  EXPECT_THAT(complaint(), HasSubstr("'leaf.1.bias' is missing, wanted [2]"));
  ASSERT_TRUE(write_safetensors(weights, {{"leaf.1.weight", SafetensorsType::kF32, {3, 2}, f}, bias, second}, {}).ok());
  EXPECT_THAT(complaint(), HasSubstr("'leaf.1.weight' is [3, 2], wanted [2, 3]"));
  ASSERT_TRUE(write_safetensors(weights, {{"leaf.1.weight", SafetensorsType::kU64, {2, 3}, u}, bias, second}, {}).ok());
  EXPECT_THAT(complaint(), HasSubstr("'leaf.1.weight' holds U64, wanted F32"));
  ASSERT_TRUE(write_safetensors(weights, {{"leaf.1.weight", SafetensorsType::kF64, {2, 3}, d}, bias, second}, {}).ok());
  EXPECT_THAT(complaint(), HasSubstr("'leaf.1.weight' holds F64, wanted F32"));
  ASSERT_TRUE(write_safetensors(weights, {first, bias, {"leaf.2.weight", SafetensorsType::kF32, {2, 2}, f}}, {}).ok());
  EXPECT_THAT(complaint(), HasSubstr("'leaf.2.weight' holds F32, wanted F64"));
  ASSERT_TRUE(
      write_safetensors(weights, {first, bias, second, {"leaf.3.weight", SafetensorsType::kF32, {1}, f}}, {}).ok());
  EXPECT_THAT(complaint(), HasSubstr("unknown array 'leaf.3.weight', wanted those of the 2 leaves"));
  ASSERT_TRUE(write_safetensors(weights, {first, bias, second}, {}).ok());
  EXPECT_TRUE(load(folder.path()).ok());

  std::filesystem::remove(weights);
  EXPECT_EQ(load(folder.path()).status().code(), StatusCode::kNotFound);
  test::spill(
      folder / "model.json",
      R"({"weft": 1, "model": {"type": "stack", "ops": [{"type": "dense", "in": 0, "out": 1, "act": "relu"}]}})");
  EXPECT_EQ(load(folder.path()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(load(folder.path()).status().message(),
              HasSubstr("model.json': model.ops[0].in: 0, wanted an integer from 1"));
}

}  // namespace
}  // namespace weft
