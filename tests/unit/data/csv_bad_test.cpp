// CSV that is refused: the line, the column, the value seen and the value wanted.
#include <gmock/gmock.h>

#include <clocale>

#include "tests/unit/data/complaint.h"

namespace weft {
namespace {

using data::CsvOptions;
using test::csv_complaint;
using ::testing::HasSubstr;

TEST(CsvBad, LabelsThatAreNone) {
  EXPECT_EQ(
      csv_complaint("1,0\n1,1\n1,3\n", {.classes = 3}),
      "invalid argument: csv: F:3: column 1: '3', wanted a whole number from 0 to 2, the label of one of 3 classes");
  EXPECT_THAT(csv_complaint("1,0\n1,-1\n", {.classes = 3}),
              HasSubstr("F:2: column 1: '-1', wanted a whole number from 0"));
  EXPECT_EQ(csv_complaint("a,y\n1,0\n1,0.5\n"),
            "invalid argument: csv: F:3: column 1 'y': '0.5', wanted a whole number, the label of a class (numbers to "
            "learn are a regression)");
  std::string many;
  for (int i = 0; i <= 1000; ++i) many += "1," + std::to_string(i) + "\n";
  EXPECT_THAT(csv_complaint(many), HasSubstr("column 1: more than 1000 different labels"));
  EXPECT_THAT(csv_complaint("1,x\n2,y\n3,z\n", {.classes = 2, .header = data::Header::kAbsent}),
              HasSubstr("F:3: column 1: 'z' is class 3, wanted at most 2"));
  EXPECT_THAT(csv_complaint("1,x\n2,y\n", {.task = data::Task::kRegression, .header = data::Header::kAbsent}),
              HasSubstr("F:1: column 1: 'x', wanted a number to learn"));
  EXPECT_THAT(csv_complaint("1,2\n", {.classes = -1}), HasSubstr("csv: F: classes: -1, wanted from 2 to 1048576"));
}

TEST(CsvBad, LabelsThatAreTooLarge) {
  EXPECT_EQ(csv_complaint("1,0\n1,3000000000\n"),
            "invalid argument: csv: F:2: column 1: '3000000000', wanted a whole number from -2147483647 to 2147483647, "
            "the label of a class");
  EXPECT_EQ(csv_complaint("1,-2147483647\n1,2147483647\n"), "ok");
}

TEST(CsvBad, ATextWithoutANameIsNoClassName) {
  // scikit-learn's first line would have promised one row of two features.
  EXPECT_EQ(csv_complaint("1,2,\n3,4,1\n"),
            "invalid argument: csv: F:1: column 2: missing, wanted a label; the missing option can drop such rows");
  EXPECT_EQ(test::read_text("1,2,\n3,4,1\n", {.missing = data::Missing::kDropRow})->size(), 1);
}

TEST(CsvBad, NumbersThatAreNotFinite) {
  for (const char* text : {"nan", "NaN", "inf", "-inf", "Infinity", "nan(1)"}) {
    EXPECT_EQ(csv_complaint(std::string("1,0\n") + text + ",1\n"),
              std::string("invalid argument: csv: F:2: column 0: '") + text + "', wanted a finite number");
  }
  EXPECT_THAT(csv_complaint("1,0\n1e39,1\n"),
              HasSubstr("F:2: column 0: '1e39', wanted a number of size at most 3.4e38"));
  EXPECT_THAT(csv_complaint("1,0\n-1e400,1\n"), HasSubstr("'-1e400', wanted a number of size at most"));
  EXPECT_THAT(csv_complaint("1,0\n1,nan\n"), HasSubstr("F:2: column 1: 'nan', wanted a finite number"));
}

TEST(CsvBad, NumbersThatAreNone) {
  std::string rows;
  for (int i = 0; i < 150; ++i) rows += "1,0\n";
  for (const char* text : {"x", "0x10", "1_000", "--1", "1e", "e5", ".", "+", "1.2.3", "1f"}) {
    EXPECT_EQ(csv_complaint(rows + text + ",1\n"),
              std::string("invalid argument: csv: F:151: column 0: '") + text + "', wanted a number");
  }
  EXPECT_EQ(csv_complaint("1,0\n2,0\nx,1\n"),
            "invalid argument: csv: F:3: column 0: 'x', wanted a number as in line 1, '1'; 'x' as missing_text, or the "
            "column as categorical, would explain it");
}

TEST(CsvBad, MissingValues) {
  EXPECT_EQ(
      csv_complaint("a,b,y\n1,2,0\n1,,1\n"),
      "invalid argument: csv: F:3: column 1 'b': missing, wanted a number; the missing option can drop such rows or "
      "put the mean of the column there");
  EXPECT_THAT(csv_complaint("1,0\n1,\n"),
              HasSubstr("F:2: column 1: missing, wanted a label; the missing option can drop"));
  EXPECT_THAT(csv_complaint("1,0\n1,\n", {.missing = data::Missing::kMean}),
              HasSubstr("F:2: column 1: missing, wanted a label"));
  EXPECT_THAT(csv_complaint("1,x,0\n1,\"\",1\n"), HasSubstr("F:2: column 1: missing, wanted a category"));
  EXPECT_THAT(csv_complaint("1,0\n,1\n,0\n", {.missing = data::Missing::kDropRow}), "ok");
  EXPECT_THAT(csv_complaint("a,b\n,1\n,0\n", {.header = data::Header::kPresent, .missing = data::Missing::kDropRow}),
              HasSubstr("csv: F: 2 rows, all dropped for missing values"));
}

TEST(CsvBad, ACategoryOfNothing) {
  EXPECT_EQ(csv_complaint("a,b,y\n1,,0\n2,,1\n", {.missing = data::Missing::kMean, .categorical = {"b"}}),
            "invalid argument: csv: F: column 1 'b': every value is missing, wanted a category; ignore the column");
}

TEST(CsvBad, RaggedRows) {
  EXPECT_EQ(csv_complaint("a,b,y\n1,2,0\n1,0\n"), "data loss: csv: F:3: 2 fields, wanted 3 as in the header");
  EXPECT_THAT(csv_complaint("1,2,0\n1,2,3,0\n"), HasSubstr("F:2: 4 fields, wanted 3 as in the first row"));
  EXPECT_THAT(csv_complaint("1,2,0\n1,x,3,0\n", {.categorical = {"1"}}), HasSubstr("F:2: 4 fields, wanted 3"));
  EXPECT_THAT(csv_complaint("1,2,0\n\n1,2,0\n"), HasSubstr("data loss: csv: F:2: an empty line, wanted a row"));
  EXPECT_THAT(csv_complaint("a,b\n\n1,2\n"), HasSubstr("F:2: an empty line, wanted a row"));
  EXPECT_THAT(csv_complaint("\na,b\n1,2\n"), HasSubstr("F:1: an empty line"));
  EXPECT_THAT(csv_complaint("1,2,0\n1,2,1\n1;2;0\n"),
              HasSubstr("F:3: column 0: '1;2;0', wanted a number; is the delimiter a semicolon?"));
  std::string rows;
  for (int i = 0; i < 150; ++i) rows += "1,2,0\n";
  EXPECT_EQ(csv_complaint(rows + "1;2;0\n"), "data loss: csv: F:151: 1 field, wanted 3 as in the first row");
}

TEST(CsvBad, Headers) {
  EXPECT_THAT(csv_complaint("a,b,y\n1,2,0\na,b,y\n1,2,0\n"),
              HasSubstr("F:3: column 0 'a': 'a', wanted a number as in line 2, '1'; the line repeats the header"));
  std::string rows = "a,y\n";
  for (int i = 0; i < 150; ++i) rows += "1,0\n";
  EXPECT_THAT(csv_complaint(rows + "a,y\n"),
              HasSubstr("F:152: column 0 'a': 'a', wanted a number; the line repeats the header"));
  EXPECT_THAT(csv_complaint("a,y\n1,0\n2,1\n", {.header = data::Header::kAbsent}),
              HasSubstr("F:1: column 0: 'a', wanted a number as in line 2, '1'; line 1 looks like a header"));
  EXPECT_THAT(csv_complaint("a,a,y\n1,2,0\n"), HasSubstr("F:1: the header names columns 0 and 1 both 'a'"));
  EXPECT_THAT(csv_complaint(",a,y\n0,2,0\n"), HasSubstr("F:1: the header leaves column 0 without a name"));
  EXPECT_THAT(csv_complaint("a,b\nc,d\n"), HasSubstr("F:1: no column holds numbers alone"));
  EXPECT_THAT(csv_complaint("a,b,5\n1,2,0\n"), HasSubstr("F:1: 1 numbers and 2 texts above columns of numbers"));
  EXPECT_THAT(csv_complaint("a,b\n"), HasSubstr("F:1: one line, which may be a header or a row"));
  EXPECT_THAT(csv_complaint("a,b\n", {.header = data::Header::kPresent}), HasSubstr("F: a header and no rows"));
  EXPECT_EQ(csv_complaint("length,kind\n1,0\n", {.label = "knid"}),
            "invalid argument: csv: F: label: unknown name 'knid'; nearest known: kind, length");
  EXPECT_THAT(csv_complaint("length,kind\n1,0\n", {.label = "2"}),
              HasSubstr("F: label: '2', wanted a column's name or an index from 0 to 1"));
  EXPECT_THAT(csv_complaint("1,0\n", {.label = "kind"}),
              HasSubstr("F: label: 'kind', wanted (there is no header) an index from 0 to 1"));
  EXPECT_THAT(csv_complaint("1,0\n", {.ignore = {"1"}}), HasSubstr("column 1 is the label, and is to be ignored"));
}

TEST(CsvBad, ScikitLearnsFirstLine) {
  EXPECT_THAT(csv_complaint("4,2,a,b\n5.1,3.5,0\n6.0,3.0,1\n"),
              HasSubstr("data loss: csv: F:1: says 4 rows, the file has 2, wanted as many"));
  EXPECT_THAT(csv_complaint("2,2,a,b,c\n5.1,3.5,0\n6.0,3.0,1\n"),
              HasSubstr("F:1: 3 class names for 2 different labels"));
}

TEST(CsvBad, Delimiters) {
  EXPECT_EQ(csv_complaint("1;2;0\n3;4;1\n", {.delimiter = ','}),
            "invalid argument: csv: F: a comma as delimiter leaves one column, wanted more; a semicolon gives 3");
  EXPECT_THAT(csv_complaint("1,5;2,5;0\n3,5;4,5;1\n", {.delimiter = ','}),
              HasSubstr("F:1: column 1: '5;2', wanted a number; is the delimiter a semicolon?"));
  EXPECT_THAT(csv_complaint("1 2 0\n3 4 1\n"), HasSubstr("csv: F: 1 column, wanted a feature beside the label"));
  EXPECT_THAT(csv_complaint("1,2\n", {.delimiter = '.'}), HasSubstr("F: delimiter: '.', wanted a character"));
}

TEST(CsvBad, DecimalCommas) {
  EXPECT_EQ(csv_complaint("1,5;2,5;0\n3,5;4,5;1\n"),
            "invalid argument: csv: F:1: column 0: '1,5', wanted a number; decimal commas are not read: write 1.5");
  EXPECT_THAT(csv_complaint("\"1,5\",0\n\"2,5\",1\n"),
              HasSubstr("'1,5', wanted a number; decimal commas are not read"));
  EXPECT_THAT(csv_complaint("\"1,234.5\",0\n\"2,000.5\",1\n"), HasSubstr("commas inside numbers are not read"));
  EXPECT_THAT(csv_complaint("a,y\n1,0\n2,5,1,0\n"),
              HasSubstr("F:3: 4 fields, wanted 2 as in the header; decimal commas, or"));
  std::string rows;
  for (int i = 0; i < 150; ++i) rows += "1;0\n";
  EXPECT_THAT(csv_complaint(rows + "1,5;0\n"), HasSubstr("F:151: column 0: '1,5', wanted a number; decimal commas"));
}

TEST(CsvBad, Quotes) {
  EXPECT_THAT(csv_complaint("1,\"a\n2,b\n"),
              HasSubstr("data loss: csv: F:1: column 1: a quote that opens and does not close, wanted a closing one"));
  EXPECT_THAT(csv_complaint("1,\"a\"b\n2,b\n"),
              HasSubstr("F:1: column 1: 'b' behind a closing quote, wanted the next field or row"));
  EXPECT_THAT(csv_complaint("1,5\" nail\n2,b\n"), HasSubstr("F:1: column 1: a quote inside unquoted text"));
}

TEST(CsvBad, BytesThatAreNoText) {
  EXPECT_THAT(csv_complaint(std::string("1,0\n1\0,1\n", 9)),
              HasSubstr("F:2: column 0: a zero byte, wanted text (UTF-8)"));
  EXPECT_THAT(csv_complaint("1,0\r2,1\r"), HasSubstr("a carriage return alone, wanted lines that end in LF or CR LF"));
  EXPECT_THAT(csv_complaint(std::string("\xff\xfe"
                                        "1\0,\0",
                                        6)),
              HasSubstr("csv: F: UTF-16, wanted UTF-8"));
  EXPECT_EQ(csv_complaint(""), "data loss: csv: F: empty, wanted rows");
  EXPECT_THAT(csv_complaint("\n\n"), HasSubstr("F: no rows, wanted at least one"));
  EXPECT_THAT(csv_complaint("\xef\xbb\xbf"), HasSubstr("F: no rows, wanted at least one"));
}

TEST(CsvBad, TooManyCategories) {
  std::string text = "id,y\n";
  for (int i = 0; i <= 1000; ++i) text += "u" + std::to_string(i) + ",0\n";
  EXPECT_THAT(csv_complaint(text), HasSubstr("F:1002: column 0 'id': 'u1000' is category 1001, wanted at most 1000"));
}

TEST(CsvBad, NamesAreUtf8) {
  EXPECT_THAT(csv_complaint("x,caf\xe9\n1,0\n2,1\n"), HasSubstr("F:1: column 1: 'caf?' is not UTF-8"));
  const data::CsvOptions bare{.header = data::Header::kAbsent};
  EXPECT_EQ(csv_complaint("1,caf\xc3\xa9\n2,b\n", bare), "ok");
  // A class, and a category after a field of two lines.
  EXPECT_THAT(csv_complaint("1,b\n2,caf\xe9\n", bare),
              HasSubstr("csv: F:2: column 1: 'caf?' is not UTF-8, wanted UTF-8"));
  EXPECT_THAT(csv_complaint("x,kind,y\n1,\"a\nb\",0\n2,caf\xe9,1\n"), HasSubstr("F:4: column 1 'kind': 'caf?' is not"));
  // What is dropped is not kept, unless it comes again.
  const data::CsvOptions drop{.header = data::Header::kAbsent, .missing = data::Missing::kDropRow};
  EXPECT_EQ(csv_complaint("1,a,0\n,caf\xe9,1\n2,b,1\n", drop), "ok");
  EXPECT_THAT(csv_complaint("1,a,0\n2,caf\xe9,1\n,b,1\n", drop), HasSubstr("F:2: column 1: 'caf?' is not UTF-8"));
  EXPECT_THAT(csv_complaint("1,a,0\n,caf\xe9,1\n2,caf\xe9,1\n", drop), HasSubstr("column 1: 'caf?' is not UTF-8"));
}

TEST(CsvBad, AMissingFile) {
  const Status status = data::csv("/nonexistent/a.csv").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "csv: /nonexistent/a.csv: No such file or directory");
  EXPECT_EQ(data::csv("/").status().message(), "csv: /: a folder, wanted a file");
}

TEST(CsvBad, TheLocaleChangesNothing) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char* german = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (german == nullptr) german = std::setlocale(LC_ALL, name);
  }
  if (german == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const auto dataset = test::read_text("1.5,0\n1.123456789012,1\n");
  const std::string message = csv_complaint("1,5;0\n2,5;1\n");
  std::setlocale(LC_ALL, before.c_str());
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  EXPECT_EQ(dataset->inputs.at(0), 1.5);
  EXPECT_EQ(dataset->inputs.at(1), static_cast<double>(1.123456789012f));
  EXPECT_THAT(message, HasSubstr("decimal commas are not read: write 1.5"));
}

}  // namespace
}  // namespace weft
