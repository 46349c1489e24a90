// Rows made alike: drawn again, read alike, kept as JSON.
#include "weft/preparation.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/unit/data/complaint.h"
#include "tests/unit/data/npy_bytes.h"

namespace weft {
namespace {

using data::Dataset;
using data::Missing;
using data::Part;
using data::Preparation;
using data::ReadOptions;
using data::SplitOptions;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A source, how it was split, and what is kept of that.
struct Trained {
  Dataset dataset;
  data::Split parts;
  Preparation preparation;
};

Trained trained_on(const std::string& source, const ReadOptions& options = {}, const SplitOptions& split = {}) {
  Trained trained;
  auto dataset = data::read(source, options);
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  auto parts = data::split(*dataset, split);
  EXPECT_TRUE(parts.ok()) << parts.status().message();
  trained.preparation = preparation_of(*dataset, split, *parts);
  trained.dataset = *std::move(dataset);
  trained.parts = *std::move(parts);
  return trained;
}

void expect_same(const data::Samples& a, const data::Samples& b) {
  EXPECT_EQ(a.inputs.shape(), b.inputs.shape());
  EXPECT_EQ(test::numbers(a.inputs), test::numbers(b.inputs));
  EXPECT_EQ(test::numbers(a.targets), test::numbers(b.targets));
  EXPECT_EQ(a.labels, b.labels);
}

// The source is read and its parts are drawn again, by what is kept alone: the same numbers to the bit.
void expect_drawn_again(const Trained& trained) {
  const auto kept = data::preparation_from_json(to_json(trained.preparation));
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  EXPECT_EQ(*kept, trained.preparation);
  const auto again = data::read_alike(kept->reading.source, *kept);
  ASSERT_TRUE(again.ok()) << again.status().message();
  for (const auto& [part, samples] :
       {std::pair(Part::kTrain, &trained.parts.train), std::pair(Part::kValidation, &trained.parts.validation),
        std::pair(Part::kTest, &trained.parts.test)}) {
    if (samples->size() == 0) continue;
    const auto drawn = data::prepare_part(*again, *kept, part);
    ASSERT_TRUE(drawn.ok()) << drawn.status().message();
    expect_same(*drawn, *samples);
  }
}

std::string complaint(const std::string& source, const Preparation& preparation, const ReadOptions& options) {
  const auto dataset = data::read_alike(source, preparation, options);
  if (!dataset.ok()) return dataset.status().message();
  const auto samples = data::prepare(*dataset, preparation);
  return samples.ok() ? "ok" : samples.status().message();
}
std::string complaint(const std::string& source, const Preparation& preparation) {
  return complaint(source, preparation, read_options(preparation));
}

// Three classes, a number, a colour.
std::string flowers(const std::string& end = "") {
  std::string text = "size,colour,kind\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? ".5,red," : ",blue,") +
            (i % 3 == 0   ? "a"
             : i % 3 == 1 ? "b"
                          : "c") +
            "\n";
  }
  return text + end;
}

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

// ---- data.json ----

Preparation small() {
  Preparation p;
  p.reading.source = "csv:a.csv";
  p.reading.files = {"/data/a.csv"};
  p.item = Shape{2};
  p.classes = {"no", "yes, \"maybe\"\n"};
  p.outputs = 2;
  p.scaling = {.kind = data::ScalingKind::kUnit, .offset = {0.1, 1e-300}, .factor = {3.0, 1.0 / 3.0}};
  p.rows = 5;
  p.checksum = 0x0123456789abcdef;
  p.split = {.validation = 0.1, .test = {}, .seed = 18446744073709551615u};
  return p;
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = to_json(small());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto read = data::preparation_from_json(text);
  return read.ok() ? "ok" : read.status().message();
}

TEST(PreparationJson, ThereAndBack) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save_preparation(small(), folder.path()).ok());
  EXPECT_THAT(folder.names(), ElementsAre("data.json"));
  const auto back = data::load_preparation(folder.path());
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, small());
}

TEST(PreparationJson, WhatIsWrong) {
  EXPECT_EQ(replaced("\"item\"", "\"itme\""), "data: the key 'item' is missing");
  EXPECT_THAT(replaced("\"item\"", "\"extra\": 1, \"item\""), HasSubstr("data: unknown key 'extra', wanted version"));
  EXPECT_EQ(replaced("\"version\": 1", "\"version\": 2"), "data.version: 2, wanted an integer from 1 to 1");
  EXPECT_EQ(replaced("\"item\": [2]", "\"item\": \"2\""), "data.item: '2', wanted a list");
  EXPECT_EQ(replaced("\"item\": [2]", "\"item\": [0]"), "data.item[0]: 0, wanted an integer from 1 to 268435456");
  EXPECT_THAT(replaced("\"item\": [2]", "\"item\": [268435456,2]"),
              HasSubstr("data.item: [268435456, 2], wanted at most"));
  EXPECT_EQ(replaced("\"item\": [2]", "\"item\": [3]"),
            "data.scaling.offset: a list of 2, wanted none, one, or one for each of 3 features");
  EXPECT_EQ(replaced("\"outputs\": 2", "\"outputs\": 3"), "data.outputs: 3, wanted 2, a class each");
  EXPECT_EQ(replaced("\"no\"", "7"), "data.classes[0]: 7, wanted a text");
  EXPECT_EQ(replaced("[\"no\"", "[\"no\",\"no\""), "data.classes[1]: a class twice");
  EXPECT_EQ(replaced("classification", "guessing"), "data.task: 'guessing', wanted classification or regression");
  EXPECT_EQ(replaced("classification", "regression"), "data.classes: a list of 2, wanted none for a regression");
  EXPECT_EQ(replaced("\"refuse\"", "\"hope\""), "data.reading.missing: 'hope', wanted refuse, drop or mean");
  EXPECT_EQ(replaced("\"delimiter\":\"\"", "\"delimiter\":\",,\""),
            "data.reading.delimiter: ',,', wanted one character, or none");
  EXPECT_THAT(replaced("18446744073709551615", "-1"), HasSubstr("data.parts.seed: -1, wanted a whole number"));
  EXPECT_EQ(replaced("\"validation\":0.1", "\"validation\":1.5"),
            "data.parts.validation: 1.5, wanted at least 0 and less than 1");
  EXPECT_EQ(replaced("\"test_rows\":0", "\"test_rows\":5"), "data.parts.test_rows: 5, wanted an integer from 0 to 4");
  EXPECT_THAT(replaced("\"schema\": null", "\"schema\": {\"task\":\"classification\",\"header\":false,\"columns\":[]}"),
              HasSubstr("data.schema.columns: no feature"));
  EXPECT_THAT(replaced("\"schema\": null", "\"schema\": " + std::string(40, '[') + std::string(40, ']')),
              HasSubstr("nested deeper than 8 levels"));
  EXPECT_EQ(replaced("\"checksum\":\"0123456789abcdef\",", ""), "data.parts: the key 'checksum' is missing");
  EXPECT_EQ(replaced("0123456789abcdef", "123456789abcdef"),
            "data.parts.checksum: '123456789abcdef', wanted 16 hexadecimal digits");
  EXPECT_EQ(replaced("0123456789abcdef", "0123456789abcdeF"),
            "data.parts.checksum: '0123456789abcdeF', wanted 16 hexadecimal digits");
  EXPECT_EQ(replaced("[\"/data/a.csv\"]", "[\"a\",\"b\",\"c\"]"),
            "data.reading.files: a list of 3, wanted at most 2 files");
  EXPECT_EQ(replaced("[\"/data/a.csv\"]", "[1]"), "data.reading.files[0]: 1, wanted a text");
  EXPECT_EQ(replaced("\"target_scaling\": {\"kind\":\"none\",\"offset\":[],\"factor\":[]",
                     "\"target_scaling\": {\"kind\":\"unit\",\"offset\":[0],\"factor\":[1]"),
            "data.target_scaling.kind: 'unit', wanted none for classes");
  EXPECT_THAT(replaced("\"target_scaling\":\"standardise\"", "\"target_scaling\":\"odd\""),
              HasSubstr("data.parts.target_scaling: 'odd', wanted none, unit or standardise"));
  EXPECT_THAT(data::preparation_from_json("{").status().message(), HasSubstr("data: parse error at line 1"));
}

TEST(PreparationJson, ASchemaFitsTheRest) {
  const test::DataFile file(flowers());
  const Trained trained = trained_on("csv:" + file.path().string());
  const auto wrong = [&](auto change) {
    Preparation p = trained.preparation;
    change(p);
    return data::preparation_from_json(to_json(p)).status().message();
  };
  EXPECT_EQ(wrong([](Preparation&) {}), "");
  EXPECT_EQ(wrong([](Preparation& p) { p.schema.columns[1].categories.pop_back(); }),
            "data.schema.columns: 2 features, wanted 3 as item says");
  EXPECT_EQ(wrong([](Preparation& p) { p.schema.columns[2].categories.pop_back(); }),
            "data.schema.columns: the label has 2 categories, wanted 3, a class each");
  EXPECT_EQ(wrong([](Preparation& p) { p.schema.columns.pop_back(); }), "data.schema.columns: no label, wanted one");
}

TEST(PreparationJson, TargetsFitTheRest) {
  const test::DataFile file("a;price\n1;3.5\n2;4.5\n3;5.25\n4;6\n5;7\n");
  const Trained trained = trained_on("csv:" + file.path().string(), {.csv = {.task = data::Task::kRegression}});
  const auto wrong = [&](auto change) {
    Preparation p = trained.preparation;
    change(p);
    return data::preparation_from_json(to_json(p)).status().message();
  };
  EXPECT_EQ(wrong([](Preparation&) {}), "");
  EXPECT_EQ(wrong([](Preparation& p) { p.target_scaling = {}; }), "");
  EXPECT_EQ(wrong([](Preparation& p) {
              p.target_scaling.offset = p.target_scaling.factor = {1, 2};
            }),
            "data.target_scaling.offset: a list of 2, wanted one for each of 1 outputs");
  EXPECT_EQ(wrong([](Preparation& p) { p.target_scaling.fill = {1}; }),
            "data.target_scaling.fill: a list of 1, wanted none");
}

TEST(PreparationJson, FilesThatAreNotThereOrDamaged) {
  const test::TemporaryFolder folder;
  const auto absent = data::load_preparation(folder.path());
  EXPECT_EQ(absent.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(absent.status().message(), HasSubstr("data.json"));
  test::spill(folder / "data.json", "{}");
  EXPECT_THAT(data::load_preparation(folder.path()).status().message(),
              AllOf(HasSubstr("data.json"), HasSubstr("data: the key 'version' is missing")));
  EXPECT_EQ(save_preparation(small(), folder / "none").code(), StatusCode::kNotFound);
  Preparation latin = small();
  latin.classes[0] = "caf\xe9";
  EXPECT_THAT(save_preparation(latin, folder.path()).message(), HasSubstr("not UTF-8"));
  EXPECT_EQ(test::slurp(folder / "data.json"), "{}");
  EXPECT_THAT(folder.names(), ElementsAre("data.json"));
}

TEST(Csv, NamesAreUtf8) {
  EXPECT_THAT(test::csv_complaint("x,caf\xe9\n1,0\n2,1\n"), HasSubstr("csv: F:1: column 1: 'caf?' is not UTF-8"));
  EXPECT_THAT(test::csv_complaint("1,caf\xe9\n2,b\n", {.header = data::Header::kAbsent}), HasSubstr("is not UTF-8"));
  EXPECT_EQ(test::csv_complaint("1,caf\xc3\xa9\n2,b\n", {.header = data::Header::kAbsent}), "ok");
}

}  // namespace
}  // namespace weft
