// What a source names; schemas as JSON; summaries.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/unit/data/complaint.h"
#include "tests/unit/data/npy_bytes.h"
#include "weft/preparation.hpp"

namespace weft {
namespace {

using data::ReadOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Source, FilesByContent) {
  const test::TemporaryFolder folder;
  test::spill(folder / "table", "1,2,0\n3,4,1\n");
  test::spill(folder / "pixels", test::idx({2, 2}, {1, 2, 3, 4}));
  test::spill(folder / "array", test::npy("|u1", "(2,)", "\1\2"));
  const auto source = [&](const std::string& name) { return data::read((folder / name).string()); };
  EXPECT_THAT(source("table")->source, HasSubstr("csv: "));
  EXPECT_EQ(source("pixels")->item, (Shape{2}));
  EXPECT_EQ(source("array")->inputs.shape(), (Shape{2, 1}));
#ifdef WEFT_HAVE_ZLIB
  test::spill(folder / "archive",
              test::zip({{"x.npy", test::npy("|u1", "(2,)", "\1\2")}, {"y.npy", test::npy("|u1", "(2,)", "\1\2")}}));
  EXPECT_EQ(source("archive")->size(), 2);
#endif
}

TEST(Source, FilesByScheme) {
  const test::TemporaryFolder folder;
  test::spill(folder / "x", test::idx({2, 2}, {1, 2, 3, 4}));
  test::spill(folder / "y", test::idx({2}, {1, 0}));
  const auto d = data::read("idx:" + (folder / "x").string() + "," + (folder / "y").string());
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_THAT(d->labels, ElementsAre(1, 0));
  test::spill(folder / "a.csv", "1;0\n2;1\n");
  EXPECT_EQ(data::read("csv:" + (folder / "a.csv").string())->size(), 2);
  EXPECT_EQ(data::read("csv:" + (folder / "a.csv").string(), {.csv = {.label = "0"}})->classes,
            (std::vector<std::string>{"1", "2"}));
}

TEST(Source, WhatCannotBe) {
  const auto wrong = [](const std::string& source) { return data::read(source).status().message(); };
  EXPECT_THAT(wrong("digts"), HasSubstr("data: 'digts', wanted digits, fashion-mnist, csv:FILE, idx:IMAGES,LABELS"));
  EXPECT_THAT(wrong(""), HasSubstr("data: '', wanted digits"));
  EXPECT_THAT(wrong("csv:"), HasSubstr("data: 'csv:', wanted csv:FILE"));
  EXPECT_THAT(wrong("./none.csv"), HasSubstr("data: './none.csv': no such file"));
  EXPECT_THAT(wrong("/tmp"), HasSubstr("wanted a file, not a folder"));
  EXPECT_EQ(data::read("npz:/nonexistent.npz").status().code(), StatusCode::kNotFound);
}

// Opening it would wait for a writer: it is looked at first, by each format.
TEST(Source, PipesAndFoldersAreRefused) {
  const test::TemporaryFolder folder;
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  test::spill(folder / "x", test::idx({1, 1}, {7}));
  const auto wrong = [&](const std::string& source) {
    const auto dataset = data::read(source);
    EXPECT_EQ(dataset.status().code(), StatusCode::kInvalidArgument);
    return test::without_path(dataset.status().message(), pipe);
  };
  EXPECT_EQ(wrong(pipe), "data: 'F': a pipe, wanted a file");
  EXPECT_EQ(wrong("csv:" + pipe), "csv: F: a pipe, wanted a file");
  EXPECT_EQ(wrong("npz:" + pipe), "npz: F: a pipe, wanted a file");
  EXPECT_EQ(wrong("npy:" + pipe), "npy: F: a pipe, wanted a file");
  EXPECT_EQ(wrong("idx:" + (folder / "x").string() + "," + pipe), "idx: F: a pipe, wanted a file");
  EXPECT_THAT(wrong("csv:" + folder.path().string()), HasSubstr(": a folder, wanted a file"));
  EXPECT_THAT(wrong("csv:/dev/null"), HasSubstr("csv: /dev/null: a device, wanted a file"));
  std::filesystem::create_symlink(pipe, folder / "digits.csv.gz");
  EXPECT_THAT(data::read("digits", {.folder = folder.path()}).status().message(),
              HasSubstr("digits.csv.gz: a pipe, wanted a file"));
}

TEST(Source, FilesAreRecordedAbsolute) {
  const test::TemporaryFolder folder;
  test::spill(folder / "a.csv", "1,2,0\n3,4,1\n");
  test::spill(folder / "x", test::idx({2, 2}, {1, 2, 3, 4}));
  test::spill(folder / "y", test::idx({2}, {1, 0}));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto absolute = std::filesystem::current_path();  // perhaps by another name
  const auto table = data::read("csv:a.csv"), found = data::read("./a.csv"), arrays = data::read("idx:x,y");
  std::filesystem::current_path(before);
  ASSERT_TRUE(table.ok() && found.ok() && arrays.ok());
  EXPECT_EQ(table->reading.source, "csv:a.csv");
  EXPECT_THAT(table->reading.files, ElementsAre((absolute / "a.csv").string()));
  EXPECT_THAT(arrays->reading.files, ElementsAre((absolute / "x").string(), (absolute / "y").string()));
  EXPECT_EQ(found->reading.files.size(), 1u);
  EXPECT_TRUE(same_source(table->reading, found->reading));
  EXPECT_FALSE(same_source(table->reading, arrays->reading));
  // And they are what is read, whatever the source's own text names.
  const auto again = data::read("idx:x,y", {.files = {arrays->reading.files.begin(), arrays->reading.files.end()}});
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(test::numbers(again->inputs), test::numbers(arrays->inputs));
}

#ifdef WEFT_HAVE_ZLIB
TEST(Source, TheDigitsKeepToTheMemory) {
  ReadOptions options;
  options.csv.memory = options.array.memory = 1000;
  EXPECT_EQ(data::read("digits", options).status().message(),
            "digits: 1797 rows x (138 columns x 4 + 8 bytes) = 0.001006 GB of memory, wanted at most 1e-06 GB (the "
            "memory option; by default half of the machine's)");
}

TEST(Source, DigitsSplitAsTheyAreShipped) {
  const auto d = data::read("digits");
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_EQ(d->size(), 1797);
  EXPECT_EQ(d->item, (Shape{8, 8}));
  const auto split = data::split(*d);
  const auto shipped = data::digits();
  ASSERT_TRUE(split.ok()) << split.status().message();
  EXPECT_EQ(test::numbers(split->train.inputs), test::numbers(shipped->train.inputs));
  EXPECT_EQ(test::numbers(split->test.inputs), test::numbers(shipped->test.inputs));
  EXPECT_EQ(split->test.labels, shipped->test.labels);
  EXPECT_EQ(test::numbers(split->test.targets), test::numbers(shipped->test.targets));
}
#endif

TEST(Schema, AsJson) {
  const auto d = test::read_text("colour,n,y\nred,1,b\nblue,2,a\n", {.ignore = {"n"}});
  ASSERT_TRUE(d.ok());
  const auto back = data::schema_from_json(to_json(d->schema));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, d->schema);
  const auto wrong = [](const std::string& columns) {
    return data::schema_from_json(R"({"task":"classification","header":true,"columns":)" + columns + "}")
        .status()
        .message();
  };
  const std::string a = R"({"name":"a","kind":"numeric","role":"feature","categories":[]})";
  EXPECT_EQ(wrong("[" + a + "]"), "");
  EXPECT_THAT(wrong("[]"), HasSubstr("schema.columns: no feature"));
  EXPECT_THAT(wrong("[{}]"), HasSubstr("schema.columns[0]: the key 'name' is missing"));
  EXPECT_THAT(wrong(R"([{"name":"a","kind":"odd","role":"feature","categories":[]}])"),
              HasSubstr("schema.columns[0].kind: unknown name 'odd'"));
  EXPECT_THAT(wrong(R"([{"name":"a","kind":"categorical","role":"feature","categories":["x","x"]}])"),
              HasSubstr("schema.columns[0].categories[1]: a category twice"));
  EXPECT_THAT(data::schema_from_json("[1]").status().message(), HasSubstr("schema: a list of 1, wanted an object"));
}

TEST(Summary, OfATable) {
  const auto d = test::read_text("colour,n,y\nred,1,b\n,3,a\nblue,,a\n", {.missing = data::Missing::kMean});
  ASSERT_TRUE(d.ok()) << d.status().message();
  const auto summary = summarise(*d);
  ASSERT_EQ(summary.features.size(), 2u);
  EXPECT_EQ(summary.features[0].type, "categorical");
  EXPECT_EQ(summary.features[0].missing, 1);
  EXPECT_THAT(summary.features[0].categories, ElementsAre("blue", "red"));
  EXPECT_EQ(summary.features[1].missing, 1);
  EXPECT_EQ(summary.features[1].least, 1.0);
  EXPECT_EQ(summary.features[1].largest, 3.0);
  EXPECT_EQ(summary.features[1].mean, 2.0);
  EXPECT_EQ(summary.features[1].deviation, 1.0);
  ASSERT_EQ(summary.classes.size(), 2u);
  EXPECT_EQ(summary.classes[0].name, "a");
  EXPECT_EQ(summary.classes[0].rows, 2);
}

}  // namespace
}  // namespace weft
