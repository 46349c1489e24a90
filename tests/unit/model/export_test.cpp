// Weights as .npz files.
#include <gmock/gmock.h>

#include "src/data/npy.h"
#include "src/data/zip.h"
#include "tests/unit/io/temporary_folder.h"
#include "weft/model_file.hpp"

#ifdef WEFT_HAVE_ZLIB

namespace weft {
namespace {

using ::testing::HasSubstr;

Stack example() {
  Stack model{dense(3, 2, relu, {.bias = true, .name = "fc1"}),
              parallel(Combine::kAdd, {dense(2, 2), dense(2, 2, linear, {.bias = true})})};
  model.initialise({.seed = 5}).value();
  for (Dense* leaf : leaves(model)) {
    if (leaf->bias) leaf->bias->mutable_values<float>()[1] = 0.25f;
  }
  return model;
}

// Every array of the archive, as the reader of data sets sees it.
std::map<std::string, data::Array> arrays(const std::filesystem::path& file) {
  const std::string bytes = test::slurp(file);
  std::map<std::string, data::Array> all;
  const auto entries = data::read_zip(bytes).value();
  for (const auto& entry : entries)
    all[entry.name] = data::read_npy(data::unzip(bytes, entry, 1 << 20).value(), "F").value();
  return all;
}

void expect_same(const data::Array& array, const Tensor& tensor, data::ElementType type) {
  EXPECT_EQ(array.type, type);
  EXPECT_FALSE(array.fortran);
  EXPECT_EQ(Shape(array.shape), tensor.shape());
  const auto values = to_doubles(array).value();
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), tensor.elements());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], tensor.at(static_cast<std::int64_t>(i)));
}

TEST(Export, EveryArrayUnderItsName) {
  const test::TemporaryFolder folder;
  const Stack model = example();
  ASSERT_TRUE(export_npz(model, folder / "w.npz").ok());
  const auto all = arrays(folder / "w.npz");
  ASSERT_EQ(all.size(), 5u);
  const auto ops = leaves(model);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string name = "leaf." + std::to_string(i + 1);
    expect_same(all.at(name + ".weight.npy"), ops[i]->weight, data::ElementType::kF32);
    if (ops[i]->bias) expect_same(all.at(name + ".bias.npy"), *ops[i]->bias, data::ElementType::kF32);
  }
  // The same model gives the same bytes.
  ASSERT_TRUE(export_npz(model, folder / "again.npz").ok());
  EXPECT_EQ(test::slurp(folder / "w.npz"), test::slurp(folder / "again.npz"));
}

TEST(Export, DoublesAndGrids) {
  const test::TemporaryFolder folder;
  Grid grid(2, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = dense(2, 3, relu, {.dtype = DType::kFloat64});
  grid.initialise().value();
  ASSERT_TRUE(export_npz(grid, folder / "w.npz").ok());
  expect_same(arrays(folder / "w.npz").at("leaf.1.weight.npy"), leaves(grid)[0]->weight, data::ElementType::kF64);
}

TEST(Export, RefusesAndWritesNothing) {
  const test::TemporaryFolder folder;
  const Status none = export_npz(Stack{dense(2, 2, relu, {.name = "fc"})}, folder / "w.npz");
  EXPECT_EQ(none.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(none.message(), HasSubstr("export: dense 'fc' (leaf 1): leaf.1.weight has no values, wanted [2, 2]"));
  Stack wrong = example();
  leaves(wrong)[1]->weight = Tensor(Shape{2, 3});
  EXPECT_THAT(export_npz(wrong, folder / "w.npz").message(), HasSubstr("leaf.2.weight is [2, 3], wanted [2, 2]"));
  leaves(wrong)[1]->weight = Tensor(Shape{2, 2}, DType::kFloat64);
  EXPECT_THAT(export_npz(wrong, folder / "w.npz").message(), HasSubstr("leaf.2.weight is float64, wanted float32"));
  EXPECT_TRUE(folder.names().empty());
  const Status nowhere = export_npz(example(), folder / "none/w.npz");
  EXPECT_EQ(nowhere.code(), StatusCode::kNotFound);
  EXPECT_THAT(nowhere.message(), HasSubstr("export: write '" + (folder / "none/w.npz").string()));
}

}  // namespace
}  // namespace weft

#endif
