// The parts of a training, drawn again by what is kept of it.
#include "weft/preparation.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/unit/data/npy_bytes.h"
#include "tests/unit/data/trained.h"

namespace weft {
namespace {

using data::Dataset;
using data::Missing;
using data::Part;
using data::Preparation;
using data::ReadOptions;
using data::SplitOptions;
using test::complaint;
using test::expect_drawn_again;
using test::expect_same;
using test::flowers;
using test::Trained;
using test::trained_on;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Preparation, PartsAreDrawnAgain) {
  const test::DataFile file(flowers());
  const SplitOptions split{.validation = 0.2, .test = 0.3, .seed = 7, .scaling = data::ScalingKind::kStandardise};
  const Trained trained = trained_on("csv:" + file.path().string(), {}, split);
  EXPECT_EQ(trained.parts.validation.size(), 6);
  expect_drawn_again(trained);
  // Another seed would draw others.
  Preparation other = trained.preparation;
  other.split.seed = 8;
  const auto drawn = data::prepare_part(trained.dataset, other, Part::kTest);
  ASSERT_TRUE(drawn.ok());
  EXPECT_NE(test::numbers(drawn->inputs), test::numbers(trained.parts.test.inputs));
}

#ifdef WEFT_HAVE_ZLIB
TEST(Preparation, TheDigits) {
  const Trained trained = trained_on("digits", {}, {.validation = 0.1});
  EXPECT_EQ(trained.preparation.reading.source, "digits");
  EXPECT_EQ(trained.preparation.item, (Shape{8, 8}));
  EXPECT_EQ(trained.preparation.outputs, 10);
  expect_drawn_again(trained);
}
#endif

TEST(Preparation, ScikitsFirstLineNamesTheClasses) {
  const test::DataFile file("6,2,setosa,other\n1,2,0\n2,3,1\n3,4,0\n4,5,1\n5,6,0\n6,7,1\n");
  const Trained trained = trained_on("csv:" + file.path().string(), {}, {.test = 0.3});
  EXPECT_THAT(trained.preparation.classes, ElementsAre("setosa", "other"));
  expect_drawn_again(trained);
  const test::DataFile more("1,2,1\n2,2,0\n");
  const auto dataset = data::read_alike(more.path().string(), trained.preparation);
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  EXPECT_THAT(dataset->classes, ElementsAre("setosa", "other"));
  EXPECT_THAT(dataset->labels, ElementsAre(1, 0));
}

TEST(Preparation, RowsDroppedOnceAreDroppedAgain) {
  // The categories 'green' and 'd' stand in dropped rows alone: the schema does not know them.
  const test::DataFile file(flowers("?,green,a\n,red,d\n"));
  const ReadOptions options{.csv = {.missing = Missing::kDropRow, .missing_text = "?"}};
  const Trained trained = trained_on("csv:" + file.path().string(), options, {.test = 0.2});
  EXPECT_EQ(trained.preparation.rows, 30);
  expect_drawn_again(trained);
  const test::DataFile kept("size,colour,kind\n1,green,a\n");
  EXPECT_THAT(complaint(kept.path().string(), trained.preparation),
              HasSubstr(":2: column 1 'colour': 'green', wanted"));
}

TEST(Preparation, MissingValuesAreFilledAgain) {
  const test::DataFile file(flowers("NA,red,a\n3,,b\n"));
  const ReadOptions options{.csv = {.missing = Missing::kMean, .missing_text = "NA"}};
  const Trained trained = trained_on("csv:" + file.path().string(), options, {.test = 0.2});
  expect_drawn_again(trained);
}

TEST(Preparation, ARegression) {
  const test::DataFile file("a;b;price\n1;2;3.5\n2;3;4.5\n3;4;5.25\n4;5;6\n5;6;7\n");
  const ReadOptions options{.csv = {.task = data::Task::kRegression}};
  const Trained trained = trained_on("csv:" + file.path().string(), options);
  EXPECT_EQ(trained.preparation.outputs, 1);
  EXPECT_EQ(trained.preparation.target_scaling.kind, data::ScalingKind::kStandardise);
  expect_drawn_again(trained);
  const test::DataFile unlabelled("a;b\n1;2\n");
  const auto dataset = data::read_alike(unlabelled.path().string(), trained.preparation);
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  const auto samples = data::prepare(*dataset, trained.preparation);
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_THAT(test::numbers(samples->targets), ElementsAre(0));
  EXPECT_THAT(samples->labels, IsEmpty());
}

// From whatever folder: the files are recorded as absolute paths, also where one has a comma in its folder's name.
TEST(Preparation, FilesAreFoundFromElsewhere) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a,b");
  test::spill(folder / "a,b/x.idx", test::idx({4, 2}, {0, 10, 20, 30, 40, 50, 60, 70}));
  test::spill(folder / "a,b/y.idx", test::idx({4}, {0, 1, 0, 1}));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "a,b");
  const Trained trained = trained_on("idx:x.idx,y.idx", {}, {.test = 0.25});
  std::filesystem::current_path(before);
  EXPECT_EQ(trained.preparation.reading.source, "idx:x.idx,y.idx");
  const auto kept = data::preparation_from_json(to_json(trained.preparation));
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  const auto again = data::read_again(*kept);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_TRUE(same_source(again->reading, kept->reading));
  expect_same(*data::prepare_part(*again, *kept, Part::kTest), trained.parts.test);
}

TEST(Preparation, SplitInPlaceLeavesWhatIsKept) {
  const test::DataFile file(flowers());
  Dataset dataset = data::read("csv:" + file.path().string()).value();
  const SplitOptions options{.test = 0.2};
  const Preparation kept = preparation_of(dataset, options, data::split(dataset, options).value());
  const data::Split parts = data::split_in_place(dataset, options).value();
  EXPECT_EQ(preparation_of(dataset, options, parts), kept);
  EXPECT_EQ(kept.rows, 30);
}

TEST(Preparation, PartsThatCannotBeTold) {
  const test::DataFile file(flowers());
  const Trained trained = trained_on("csv:" + file.path().string());
  const auto of = [&](const std::string& text, Part part) {
    const test::DataFile other(text);
    const auto dataset = data::read_alike("csv:" + other.path().string(), trained.preparation);
    EXPECT_TRUE(dataset.ok()) << dataset.status().message();
    const auto samples = data::prepare_part(*dataset, trained.preparation, part);
    return samples.ok() ? "ok" : test::without_path(samples.status().message(), other.path());
  };
  EXPECT_EQ(of(flowers(), Part::kTest), "ok");
  EXPECT_EQ(of(flowers("1,red,a\n"), Part::kAll), "ok");
  // As many rows, but others: a number, or a label.
  for (const auto& [from, to] : {std::pair("29,blue", "28,blue"), std::pair("29,blue,c", "29,blue,b")}) {
    std::string text = flowers();
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_THAT(of(text, Part::kTest), HasSubstr("csv: F: the data have changed since the model was trained (checksum "
                                                 "seen "));
    EXPECT_EQ(of(text, Part::kAll), "ok");
  }
  EXPECT_EQ(of(flowers("1,red,a\n"), Part::kTest),
            "csv: F: 31 rows (0 for testing), wanted 30 (0) as when the model was trained; of other rows the test part "
            "cannot be told");
  EXPECT_EQ(of(flowers(), Part::kValidation),
            "csv: F: the validation part has no rows: none were set apart when the model was trained");
  EXPECT_EQ(to_string(Part::kValidation), "validation");
  EXPECT_EQ(data::parse_part("TEST").value(), Part::kTest);
  EXPECT_THAT(data::parse_part("tset").status().message(), HasSubstr("part: unknown name 'tset'"));
}

}  // namespace
}  // namespace weft
