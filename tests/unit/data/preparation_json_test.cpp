// data.json: there and back, and what is wrong with one.
#include "weft/preparation.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/unit/data/trained.h"

namespace weft {
namespace {

using data::Preparation;
using test::flowers;
using test::Trained;
using test::trained_on;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace weft
