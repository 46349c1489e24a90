// CSV that is read: what becomes of headers, kinds, labels, quotes and missing values.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/data/complaint.h"

#ifdef WEFT_HAVE_ZLIB
#include <zlib.h>
#endif

namespace weft {
namespace {

using data::CsvOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

data::Dataset read(const std::string& text, const CsvOptions& options = {}) {
  auto dataset = test::read_text(text, options);
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  return dataset.ok() ? *std::move(dataset) : data::Dataset();
}

TEST(Csv, PlainNumbersWithoutAHeader) {
  const auto d = read("1,2.5,0\n-3,4e1,1\n.5,6.,0\n");
  EXPECT_EQ(d.inputs.shape(), (Shape{3, 2}));
  EXPECT_THAT(test::numbers(d.inputs), ElementsAre(1.0f, 2.5f, -3.0f, 40.0f, 0.5f, 6.0f));
  EXPECT_THAT(d.labels, ElementsAre(0, 1, 0));
  EXPECT_THAT(d.classes, ElementsAre("0", "1"));
  EXPECT_THAT(d.notes, IsEmpty());
  EXPECT_FALSE(d.schema.header);
  EXPECT_EQ(d.type, "text");
  EXPECT_EQ(d.item, (Shape{2}));
}

TEST(Csv, AHeaderIsTextAboveNumbers) {
  const auto d = read("length,width,kind\n5.1,3.5,setosa\n6.0,3.0,virginica\n5.5,2.5,setosa\n");
  EXPECT_EQ(d.inputs.shape(), (Shape{3, 2}));
  EXPECT_THAT(d.classes, ElementsAre("setosa", "virginica"));
  EXPECT_THAT(d.labels, ElementsAre(0, 1, 0));
  EXPECT_THAT(d.features, ElementsAre("length", "width"));
  EXPECT_THAT(d.notes, ElementsAre("line 1 was read as the header"));
  EXPECT_TRUE(d.schema.header);
}

TEST(Csv, AHeaderOfNumbersIsForced) {
  const std::string text = "0,1,2\n5,6,1\n7,8,0\n";
  EXPECT_EQ(read(text).size(), 3);
  EXPECT_EQ(read(text, {.header = data::Header::kPresent}).size(), 2);
  EXPECT_EQ(read("a,b\nc,d\n", {.header = data::Header::kAbsent}).size(), 2);
}

TEST(Csv, TheLabelByNameIndexAndLast) {
  const std::string text = "y,a,b\n1,2,3\n0,5,6\n";
  for (const char* label : {"y", "0"}) {
    const auto d = read(text, {.label = label});
    EXPECT_THAT(test::numbers(d.inputs), ElementsAre(2, 3, 5, 6));
    EXPECT_THAT(d.labels, ElementsAre(1, 0));
  }
  EXPECT_THAT(read(text, {.label = "b"}).classes, ElementsAre("3", "6"));
  EXPECT_THAT(read(text).classes, ElementsAre("3", "6"));
  EXPECT_EQ(read(text, {.label = ""}).inputs.shape(), (Shape{2, 3}));
  EXPECT_THAT(read(text, {.label = ""}).labels, IsEmpty());
  // A name comes before an index.
  EXPECT_THAT(read("1,x\n7,4\n8,5\n", {.label = "1", .header = data::Header::kPresent}).classes, ElementsAre("7", "8"));
}

TEST(Csv, LabelsAreSortedByValue) {
  const auto d = read("1,10\n1,-1\n1,9\n");
  EXPECT_THAT(d.classes, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(d.labels, ElementsAre(2, 0, 1));
  EXPECT_THAT(read("1,1\n1,0\n", {.classes = 3}).classes, ElementsAre("0", "1", "2"));
}

TEST(Csv, DelimitersAreFound) {
  for (const char delimiter : {',', ';', '\t'}) {
    std::string text = "1,2,0\n3,4,1\n";
    for (char& c : text) c = c == ',' ? delimiter : c;
    EXPECT_THAT(test::numbers(read(text).inputs), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(read(text, {.delimiter = delimiter}).size(), 2);
  }
  EXPECT_THAT(test::numbers(read("1|2|0\n3|4|1\n", {.delimiter = '|'}).inputs), ElementsAre(1, 2, 3, 4));
  // Commas inside text do not mislead.
  EXPECT_THAT(read("1;2;a, b\n3;4;c, d\n").classes, ElementsAre("a, b", "c, d"));
}

TEST(Csv, BomLineEndsAndBlanks) {
  const auto d = read(
      "\xef\xbb\xbf"
      "a,b,c\r\n 1 ,\t2,x \r\n3,4, y\r\n\r\n\n");
  EXPECT_THAT(d.features, ElementsAre("a", "b"));
  EXPECT_THAT(test::numbers(d.inputs), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(d.classes, ElementsAre("x", "y"));
  EXPECT_EQ(read("1,2,0\r\n3,4,1").size(), 2);  // no final newline
  EXPECT_EQ(read("1,2,0\r\n3,4,1").labels.back(), 1);
  EXPECT_EQ(read("1,2,0\n3,4,1").labels.back(), 1);
}

TEST(Csv, Quotes) {
  const auto d = read("\"a \"\"x\"\"\",\"b,c\",\"d\ne\"\n\"1\",2,\"x\ny\"\n3,\"4\",\"p,\"\"q\"\"\"\n");
  EXPECT_THAT(d.features, ElementsAre("a \"x\"", "b,c"));
  EXPECT_THAT(d.schema.columns[2].name, "d\ne");
  EXPECT_THAT(test::numbers(d.inputs), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(d.classes, ElementsAre("p,\"q\"", "x\ny"));
}

TEST(Csv, CategoriesAreSortedAndOneHot) {
  const auto d = read("colour,n,y\nred,1,0\nblue,2,1\nred,3,0\n");
  EXPECT_EQ(d.inputs.shape(), (Shape{3, 3}));
  EXPECT_THAT(d.features, ElementsAre("colour=blue", "colour=red", "n"));
  EXPECT_THAT(test::numbers(d.inputs), ElementsAre(0, 1, 1, 1, 0, 2, 0, 1, 3));
  EXPECT_EQ(d.schema.columns[0].kind, data::ColumnKind::kCategorical);
  EXPECT_THAT(d.schema.columns[0].categories, ElementsAre("blue", "red"));
  const auto forced = read("zip,y\n7,0\n5,1\n7,0\n", {.categorical = {"zip"}});
  EXPECT_THAT(test::numbers(forced.inputs), ElementsAre(0, 1, 1, 0, 0, 1));
}

TEST(Csv, IgnoredColumnsMayHoldAnything) {
  const auto d = read(",a,note,y\n0,1,,0\n1,2,inf,1\n", {.ignore = {"0", "note"}});
  EXPECT_THAT(test::numbers(d.inputs), ElementsAre(1, 2));
  EXPECT_EQ(d.schema.columns[2].role, data::ColumnRole::kIgnored);
}

TEST(Csv, RegressionReadsNumbers) {
  const auto d = read("1,0.5\n2,-1.25\n", {.task = data::Task::kRegression});
  EXPECT_EQ(d.targets.shape(), (Shape{2, 1}));
  EXPECT_THAT(test::numbers(d.targets), ElementsAre(0.5f, -1.25f));
  EXPECT_THAT(d.labels, IsEmpty());
}

TEST(Csv, MissingValuesAreDroppedOrMarked) {
  const std::string text = "a,b,y\n1,,0\n2,x,1\n,y,0\n4,x,1\n";
  const auto dropped = read(text, {.missing = data::Missing::kDropRow});
  EXPECT_EQ(dropped.size(), 2);
  EXPECT_THAT(dropped.features, ElementsAre("a", "b=x"));  // no category of a row that was left out
  EXPECT_EQ(dropped.dropped, 2);
  EXPECT_THAT(dropped.labels, ElementsAre(0, 0));
  EXPECT_THAT(dropped.classes, ElementsAre("1"));
  EXPECT_THAT(dropped.notes, ::testing::Contains("2 of 4 rows were left out: a value is missing"));
  const auto marked = read(text, {.missing = data::Missing::kMean});
  EXPECT_EQ(marked.size(), 4);
  EXPECT_EQ(marked.missing, 3);  // both categories of a row, and a number
  const auto values = test::numbers(marked.inputs);
  EXPECT_TRUE(std::isnan(values[1]) && std::isnan(values[2]) && std::isnan(values[6]));
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(read("a,y\n?,0\n2,1\n", {.missing = data::Missing::kDropRow, .missing_text = "?"}).size(), 1);
}

TEST(Csv, ScikitLearnsFirstLine) {
  const auto d = read("3,2,setosa,versicolor\n5.1,3.5,0\n6.0,3.0,1\n5.5,2.5,0\n");
  EXPECT_EQ(d.size(), 3);
  EXPECT_THAT(d.classes, ElementsAre("setosa", "versicolor"));
  EXPECT_THAT(d.notes,
              ElementsAre("line 1 was read as scikit-learn's: 3 rows, 2 features, classes setosa, versicolor"));
  const auto numbers = read("3,3,2\n5.1,3.5,1,0\n6.0,3.0,1,1\n5.5,2.5,1,0\n");
  EXPECT_EQ(numbers.size(), 3);
  EXPECT_THAT(numbers.notes, ElementsAre("line 1 was read as scikit-learn's: 3 rows, 3 features, 2 classes"));
}

TEST(Csv, NumbersAreRoundedOnce) {
  // Beside the short way: many digits, both signs of the exponent, the limits of float.
  const std::vector<std::pair<std::string, float>> cases = {{"0.1", 0.1f},
                                                            {"16777216", 16777216.0f},
                                                            {"16777217", 16777216.0f},
                                                            {"16777219", 16777220.0f},
                                                            {"0.30000001192092896", 0.3f},
                                                            {"123456789.123", 123456789.123f},
                                                            {"1e-45", 1e-45f},
                                                            {"1e-60", 0.0f},
                                                            {"-0", -0.0f},
                                                            {"3.4028235e38", 3.4028235e38f},
                                                            {"+7.5", 7.5f},
                                                            {"000000000000000000000012", 12.0f},
                                                            {"1.17549435e-38", 1.17549435e-38f},
                                                            {"0.0000000001", 1e-10f},
                                                            {"0.00000000012", 1.2e-10f},
                                                            {"1e-400", 0.0f}};
  for (const auto& [text, wanted] : cases) {
    const auto d = read(text + ",0\n" + text + ",1\n");
    EXPECT_EQ(d.inputs.at(0), static_cast<double>(wanted)) << text;
    EXPECT_EQ(std::signbit(d.inputs.at(0)), std::signbit(wanted)) << text;
  }
}

TEST(Csv, ManyBlocks) {
  // Rows that are cut by the ends of blocks; every value is told apart.
  std::string text;
  constexpr int kRows = 60000, kColumns = 20;
  for (int row = 0; row < kRows; ++row) {
    for (int c = 0; c < kColumns; ++c) text += std::to_string((row * 7 + c * 13) % 1009) + (c % 3 == 0 ? ".5," : ",");
    text += row % 2 == 0 ? "\"e\nven\"\r\n" : "odd\r\n";
  }
  ASSERT_GT(text.size(), std::size_t{4} << 20);
  const auto d = read(text);
  ASSERT_EQ(d.inputs.shape(), (Shape{kRows, kColumns}));
  for (int row = 0; row < kRows; ++row) {
    for (int c = 0; c < kColumns; ++c) {
      ASSERT_EQ(d.inputs.at(row * kColumns + c), (row * 7 + c * 13) % 1009 + (c % 3 == 0 ? 0.5 : 0.0));
    }
    ASSERT_EQ(d.labels[static_cast<std::size_t>(row)], row % 2);
  }
  // Lines are counted across blocks and inside quotes.
  EXPECT_THAT(test::csv_complaint(text + "x" + text.substr(0, text.find('\n') + 6)),
              HasSubstr("F:" + std::to_string(kRows + kRows / 2 + 1) + ": column 0: 'x0.5'"));
}

TEST(Csv, ASchemaReadsOtherFilesAlike) {
  const auto trained = read("colour,n,y\nred,1,b\nblue,2,a\n");
  CsvOptions options{.schema = trained.schema};
  const auto d = read("colour,n,y\nred,3,a\n", options);
  EXPECT_THAT(test::numbers(d.inputs), ElementsAre(0, 1, 3));
  EXPECT_THAT(d.classes, ElementsAre("a", "b"));
  EXPECT_THAT(d.labels, ElementsAre(0));
  const auto unlabelled = read("colour,n\nblue,3\n", options);
  EXPECT_THAT(test::numbers(unlabelled.inputs), ElementsAre(1, 0, 3));
  EXPECT_THAT(unlabelled.labels, IsEmpty());
  EXPECT_THAT(test::csv_complaint("colour,n\ngreen,3\n", options),
              HasSubstr("F:2: column 0 'colour': 'green', wanted one of the 2 categories of the data trained on"));
  EXPECT_THAT(test::csv_complaint("n,colour\n3,red\n", options),
              HasSubstr("F:1: column 0 is 'n', wanted 'colour' as in the data trained on"));
  EXPECT_THAT(test::csv_complaint("colour\nred\n", options),
              HasSubstr("F:1: 1 fields, wanted 3 (or 2 without the label)"));
  EXPECT_THAT(test::csv_complaint("colour,n,y\nred,3,c\n", options),
              HasSubstr("F:2: column 2 'y': 'c', wanted one of the classes of the data trained on: a, b"));
  const auto numeric = read("1,5\n2,7\n");
  EXPECT_THAT(read("3,7\n", {.schema = numeric.schema}).labels, ElementsAre(1));
  EXPECT_THAT(test::csv_complaint("3,6\n", {.schema = numeric.schema}), HasSubstr("'6', wanted one of the classes"));
}

TEST(Csv, MemoryIsRefusedWithTheSum) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "1,2,3,4,5,0\n";
  const std::string message = test::csv_complaint(text, {.memory = 1000000});
  EXPECT_THAT(message,
              HasSubstr("resource exhausted: csv: F: about 200001 rows x (5 columns x 4 + 12 bytes) = 0.0064 GB "
                        "of memory, wanted at most 0.001 GB"));
  EXPECT_EQ(test::csv_complaint(text, {.memory = 6400000}), "ok");
  EXPECT_THAT(test::csv_complaint(text, {.memory = 6399999}),
              HasSubstr("csv: F: 200000 rows x (5 columns x 4 + 12 bytes)"));
}

#ifdef WEFT_HAVE_ZLIB
std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(Csv, Gzip) {
  EXPECT_EQ(read(gzip("1,2,0\n3,4,1\n")).size(), 2);
  EXPECT_EQ(read(gzip("1,2,0\n3,4") + gzip(",1\n5,6,1\n")).size(), 3);  // members, a row across them
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + ",2," + std::to_string(i % 3) + "\n";
  const std::string packed = gzip(text);
  const auto d = read(packed);
  ASSERT_EQ(d.size(), 100000);
  EXPECT_EQ(d.inputs.at(2 * 99999), 99999);
  EXPECT_THAT(test::csv_complaint(packed.substr(0, packed.size() / 2)),
              HasSubstr("data loss: csv: F: gzip: truncated at byte"));
  std::string broken = packed;
  broken[packed.size() - 6] = static_cast<char>(broken[packed.size() - 6] ^ 1);
  EXPECT_THAT(test::csv_complaint(broken), HasSubstr("data loss: csv: F: gzip: incorrect data check"));
  EXPECT_THAT(test::csv_complaint(packed + "x"), HasSubstr("gzip: something behind the end"));
  EXPECT_THAT(test::csv_complaint(packed, {.memory = 400000}),
              HasSubstr("resource exhausted: csv: F: 20001 rows x (2 columns x 4 + 12 bytes)"));
  EXPECT_THAT(test::csv_complaint(gzip("")), HasSubstr("data loss: csv: F: empty, wanted rows"));
}
#endif

}  // namespace
}  // namespace weft
