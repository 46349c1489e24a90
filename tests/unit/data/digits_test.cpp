// The digits: the shipped file, and complaints about others.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <array>

#include "tests/unit/io/temporary_folder.h"
#include "weft/data.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;

// Sets a variable of the environment for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) before_ = old;
    setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

// A row of one pixel value throughout.
std::string row(const std::string& pixel, const std::string& label) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += pixel + ",";
  return text + label + "\n";
}

std::string complaint(const std::string& text) {
  const test::TemporaryFolder folder;
  test::spill(folder / "d.csv", text);
  const auto split = data::digits(folder / "d.csv");
  if (split.ok()) return "ok";
  EXPECT_EQ(split.status().code(), StatusCode::kDataLoss);
  std::string message = split.status().message();
  const std::string place = (folder / "d.csv").string();
  if (const auto at = message.find(place); at != std::string::npos) message.replace(at, place.size(), "F");
  return message;
}

TEST(Digits, SplitsEachFifthRowOff) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 12; ++i) text += row(std::to_string(i), std::to_string(i % 10));
  text.pop_back();  // the last line may lack its end
  test::spill(folder / "d.csv", text);
  const auto split = data::digits(folder / "d.csv");
  ASSERT_TRUE(split.ok()) << split.status().message();
  EXPECT_EQ(split->train.size(), 10);
  EXPECT_EQ(split->test.size(), 2);
  EXPECT_EQ(split->train.labels, (std::vector<std::int32_t>{0, 1, 2, 3, 5, 6, 7, 8, 0, 1}));
  EXPECT_EQ(split->test.labels, (std::vector<std::int32_t>{4, 9}));
  EXPECT_EQ(split->test.inputs.shape(), (Shape{2, 64}));
  EXPECT_EQ(split->test.inputs.dtype(), DType::kFloat32);
  EXPECT_EQ(split->test.inputs.at(64), 9.0 / 16.0);
  EXPECT_EQ(split->test.targets.shape(), (Shape{2, 10}));
  for (int c = 0; c < 10; ++c) EXPECT_EQ(split->test.targets.at(10 + c), c == 9 ? 1.0 : 0.0);
  EXPECT_EQ(split->classes, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

#ifdef WEFT_HAVE_ZLIB
TEST(Digits, TheShippedFile) {
  const Environment environment("WEFT_DATA_DIR", "");
  const auto split = data::digits();
  ASSERT_TRUE(split.ok()) << split.status().message();
  EXPECT_EQ(split->train.size(), 1438);
  EXPECT_EQ(split->test.size(), 359);
  EXPECT_TRUE(split->train.inputs.validate().ok());
  // The first image and its label; the classes are nearly even.
  EXPECT_EQ(split->train.labels[0], 0);
  EXPECT_EQ(split->train.inputs.at(2), 5.0 / 16.0);
  std::array<int, 10> counts{};
  for (int label : split->train.labels) ++counts[static_cast<std::size_t>(label)];
  for (int label : split->test.labels) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(counts, (std::array<int, 10>{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
}

TEST(Digits, TheEnvironmentComesFirst) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 5; ++i) text += row("16", "7");
  test::spill(folder / "digits.csv.gz", text);  // recognised by content, not by name
  const Environment environment("WEFT_DATA_DIR", folder.path().string());
  const auto split = data::digits();
  ASSERT_TRUE(split.ok()) << split.status().message();
  EXPECT_EQ(split->test.labels, (std::vector<std::int32_t>{7}));
}
#endif

TEST(Digits, NamesFileAndLine) {
  const std::string good = row("1", "1");
  EXPECT_EQ(complaint(good + row("17", "1")), "digits: F:2: column 1: '17', wanted a whole number from 0 to 16");
  EXPECT_EQ(complaint(good + good + row("1", "10")), "digits: F:3: column 65: '10', wanted a whole number from 0 to 9");
  EXPECT_EQ(complaint(row("1.5", "1")), "digits: F:1: column 1: '1.5', wanted a whole number from 0 to 16");
  EXPECT_EQ(complaint(row(" 1", "1")), "digits: F:1: column 1: ' 1', wanted a whole number from 0 to 16");
  EXPECT_THAT(complaint(row("", "1")), HasSubstr("column 1: ''"));
  EXPECT_THAT(complaint(row("-1", "1")), HasSubstr("column 1: '-1'"));
  EXPECT_EQ(complaint(good + "1,2,3\n"), "digits: F:2: 3 columns, wanted 65: 64 pixels and the label");
  EXPECT_THAT(complaint(row("1", "1,1")), HasSubstr("66 columns, wanted 65"));
  EXPECT_THAT(complaint(good + "\n" + good), HasSubstr("F:2: "));
  EXPECT_EQ(complaint(good + good), "digits: F: 2 rows, wanted at least 5");
  EXPECT_EQ(complaint(""), "digits: F: 0 rows, wanted at least 5");
}

TEST(Digits, WindowsLineEndsAreFine) {
  std::string text;
  for (int i = 0; i < 5; ++i) text += row("1", "1\r");
  EXPECT_EQ(complaint(text), "ok");
}

TEST(Digits, AMissingFile) {
  const Status status = data::digits("/nonexistent/digits.csv").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "digits: read '/nonexistent/digits.csv': No such file or directory");
}

}  // namespace
}  // namespace weft
