// Strict JSON and its cursor.
#include "src/io/strict_json.h"

#include <gmock/gmock.h>

#include <clocale>

#include "src/io/json_cursor.h"

namespace weft {
namespace {

using ::testing::HasSubstr;

std::string complaint(std::string_view text, int depth = 10) {
  const auto json = parse_strict_json(text, depth);
  if (json.ok()) return "ok";
  EXPECT_EQ(json.status().code(), StatusCode::kInvalidArgument);
  return json.status().message();
}

TEST(StrictJson, ParsesWhatIsJson) {
  const auto json = parse_strict_json(R"({"a": [1, -2.5, "x", null, true], "b": {}})", 10);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["a"][1], -2.5);
}

TEST(StrictJson, NamesLineAndColumn) {
  EXPECT_THAT(complaint("{\"a\": 1,\n  oops}"), HasSubstr("parse error at line 2, column 3"));
  for (const char* text : {"", "{", "[1,]", "{\"a\":1} x", "nul", "'a'", "{a:1}", "1e999", "\"\x01\"", "\"\xff\""}) {
    EXPECT_NE(complaint(text), "ok") << text;
  }
}

TEST(StrictJson, DuplicateKeysAreErrorsWithTheirPath) {
  EXPECT_EQ(complaint(R"({"a": {"b": [0, {"c": 1, "c": 2}]}})"), "a.b[1].c: the key appears twice, wanted once");
  EXPECT_EQ(complaint(R"([{"c": 1}, {"c": 2}])"), "ok");
}

TEST(StrictJson, DepthIsLimited) {
  EXPECT_EQ(complaint("[[[]]]", 3), "ok");
  EXPECT_EQ(complaint("[[[]]]", 2), "[0][0]: nested deeper than 2 levels, wanted at most 2");
  EXPECT_EQ(complaint(R"({"a": {"b": {}}})", 2), "a.b: nested deeper than 2 levels, wanted at most 2");
}

TEST(StrictJson, MillionsOfBracketsDoNotOverflowTheStack) {
  EXPECT_THAT(complaint(std::string(5'000'000, '['), 100), HasSubstr("nested deeper than 100 levels"));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(complaint(objects, 100), HasSubstr("nested deeper than 100 levels"));
}

TEST(JsonCursor, NamesPathSeenAndWanted) {
  const auto json =
      parse_strict_json(R"({"list": [{"n": 1e9, "t": "x", "b": 1, "m": -3, "u": 18446744073709551615}]})", 10);
  ASSERT_TRUE(json.ok());
  const JsonCursor root(*json, "");
  const auto list = root["list"].elements();
  ASSERT_TRUE(list.ok());
  const JsonCursor at = list->front();
  EXPECT_EQ(at["n"].integer(1, 9).status().message(), "list[0].n: 1000000000.0, wanted an integer from 1 to 9");
  EXPECT_EQ(at["m"].integer(1, 9).status().message(), "list[0].m: -3, wanted an integer from 1 to 9");
  EXPECT_FALSE(at["u"].integer(INT64_MIN, INT64_MAX).ok());
  EXPECT_EQ(*at["m"].integer(-3, 0), -3);
  EXPECT_EQ(at["t"].boolean().status().message(), "list[0].t: 'x', wanted true or false");
  EXPECT_EQ(at["b"].text().status().message(), "list[0].b: 1, wanted a text");
  EXPECT_EQ(root["list"].text().status().message(), "list: a list of 1, wanted a text");
  EXPECT_EQ(at.elements().status().message(), "list[0]: an object of 5, wanted a list");
  EXPECT_EQ(root.keys({"list", "more"}, {}).message(), "JSON: the key 'more' is missing");
  EXPECT_EQ(root.keys({}, {"a", "b"}).message(), "JSON: unknown key 'list', wanted a, b");
  EXPECT_TRUE(root.keys({"list"}, {"other"}).ok());
}

TEST(StrictJson, NumbersDoNotDependOnTheLocale) {
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"}) {
    if ((set = std::setlocale(LC_ALL, name)) != nullptr) break;
  }
  if (set == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const auto json = parse_strict_json("[2.5]", 10);
  std::setlocale(LC_ALL, "C");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)[0], 2.5);
}

}  // namespace
}  // namespace weft
