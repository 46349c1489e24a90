// Other rows, read and scaled as those of a training.
#include "weft/preparation.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/unit/data/npy_bytes.h"
#include "tests/unit/data/trained.h"

namespace weft {
namespace {

using data::Missing;
using data::Preparation;
using data::ReadOptions;
using test::complaint;
using test::flowers;
using test::Trained;
using test::trained_on;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Preparation, OtherRowsAreScaledAlikeAndLabelsFoundByName) {
  const test::DataFile file(flowers());
  const Trained trained = trained_on("csv:" + file.path().string(), {}, {.test = 0.0});
  // 0.5 is the least, 29 the largest of the training.
  const test::DataFile more("size,colour,kind\n0.5,red,c\n57.5,blue,a\n");
  const auto dataset = data::read_alike(more.path().string(), trained.preparation);
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  const auto samples = data::prepare(*dataset, trained.preparation);
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_THAT(test::numbers(samples->inputs), ElementsAre(0, 0, 1, 2, 1, 0));
  EXPECT_THAT(samples->labels, ElementsAre(2, 0));
  EXPECT_THAT(test::numbers(samples->targets), ElementsAre(0, 0, 1, 1, 0, 0));
}

// Arrays of three rows of two features.
struct Arrays {
  test::TemporaryFolder folder;
  std::string source(const std::string& labels) const {
    test::spill(folder / "x.idx", test::idx({3, 2}, {0, 10, 20, 30, 40, 50}));
    test::spill(folder / "y.idx", test::idx({3}, {labels[0], labels[1], labels[2]}));
    return "idx:" + (folder / "x.idx").string() + "," + (folder / "y.idx").string();
  }
  std::string images() const { return "idx:" + (folder / "x.idx").string(); }
};

TEST(Preparation, ClassesOfArrays) {
  const Arrays arrays;
  Trained trained = trained_on(arrays.source("\1\3\7"), {}, {.test = 0.0});
  EXPECT_THAT(trained.preparation.classes, ElementsAre("1", "3", "7"));
  // Labels are names and not places: 7 is the third class.
  auto dataset = data::read_alike(arrays.source("\7\7\1"), trained.preparation);
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  EXPECT_THAT(data::prepare(*dataset, trained.preparation)->labels, ElementsAre(2, 2, 0));
  EXPECT_THAT(complaint(arrays.source("\1\2\7"), trained.preparation),
              HasSubstr("row 1: class: unknown name '2'; nearest known: '1', '3', '7'; wanted one of the 3 classes"));
  // Where the classes have names, numbers are their places.
  trained.preparation.classes = {"ant", "bee", "cat"};
  dataset = data::read_alike(arrays.source("\2\2\1"), trained.preparation);
  EXPECT_THAT(data::prepare(*dataset, trained.preparation)->labels, ElementsAre(2, 2, 1));
  EXPECT_THAT(complaint(arrays.source("\1\3\1"), trained.preparation), HasSubstr("row 1: class: unknown name '3'"));
  // And labels may be absent.
  dataset = data::read_alike(arrays.images(), trained.preparation);
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  EXPECT_THAT(data::prepare(*dataset, trained.preparation)->labels, IsEmpty());
}

TEST(Preparation, WhatDoesNotFit) {
  const test::DataFile file(flowers());
  const Trained trained = trained_on("csv:" + file.path().string());
  const auto of = [&](const std::string& text, const ReadOptions& options = {}) {
    const test::DataFile other(text);
    return test::without_path(complaint("csv:" + other.path().string(), trained.preparation, options), other.path());
  };
  EXPECT_EQ(of("size,colour,kind\n1,red,a\n"), "ok");
  EXPECT_THAT(of("size,colour,kind\n1,red,a\n2,green,b\n"),
              HasSubstr("F:3: column 1 'colour': 'green', wanted one of the 2 categories of the data trained on"));
  EXPECT_THAT(of("size,colour,kind\n1,red,a\n2,red,z\n"),
              HasSubstr("F:3: column 2 'kind': 'z', wanted one of the classes of the data trained on: a, b, c"));
  EXPECT_THAT(of("size,colour,kind\n1,red,a\n,red,b\n"), HasSubstr("F:3: column 0 'size': missing, wanted a number"));
  EXPECT_EQ(of("size,colour,kind\n1,red,a\n,red,b\n", {.csv = {.missing = Missing::kMean}}),
            "csv: F:3: feature 0 'size': missing, wanted a value: none was missing in the training part, so nothing "
            "stands for it; the missing option can drop such rows");
  EXPECT_THAT(of("size,kind\n1,a\n"), HasSubstr("F:1: column 1 is 'kind', wanted 'colour' as in the data trained on"));
  EXPECT_THAT(of("1\n"), HasSubstr("F:1: 1 fields, wanted 3 (or 2 without the label)"));
  const Arrays arrays;
  EXPECT_THAT(complaint(arrays.source("\1\2\3"), trained.preparation),
              HasSubstr("3 rows of 2 features, wanted 3 as in the data trained on"));
}

}  // namespace
}  // namespace weft
