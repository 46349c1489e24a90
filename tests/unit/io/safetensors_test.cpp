// Safetensors: the layout, and every way a file can lie.
#include "src/io/safetensors.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstring>

#include "tests/unit/io/safetensors_bytes.h"
#include "tests/unit/io/temporary_folder.h"

namespace weft {
namespace {

using test::raw;
using ::testing::HasSubstr;

constexpr auto file_bytes = test::safetensors_with;
constexpr auto entry = test::safetensors_entry;

// "code: message" of reading these bytes, or "ok".
std::string reading(const std::string& bytes) {
  const test::TemporaryFolder folder;
  test::spill(folder / "a", bytes);
  const auto file = read_safetensors(folder / "a");
  if (file.ok()) return "ok";
  EXPECT_THAT(file.status().message(), HasSubstr("read '" + (folder / "a").string() + "': "));
  return std::string(to_string(file.status().code())) + ": " + file.status().message();
}

std::string with_header(const std::string& header, std::size_t data = 0) {
  return reading(file_bytes(header, std::string(data, 'x')));
}

TEST(Safetensors, RoundTrips) {
  const test::TemporaryFolder folder;
  const std::vector<float> floats{1.5f, -2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
  const std::vector<double> doubles{0.1};
  const std::vector<std::uint64_t> counters{~std::uint64_t{0}, 7};
  const std::vector<SafetensorsView> views{{"leaf.1.weight", SafetensorsType::kF32, {2, 3}, floats.data()},
                                           {"d", SafetensorsType::kF64, {}, doubles.data()},
                                           {"c \"quoted\" \xc3\xa4", SafetensorsType::kU64, {2}, counters.data()},
                                           {"none", SafetensorsType::kF32, {0}, nullptr}};
  ASSERT_TRUE(write_safetensors(folder / "a", views, {{"mode", "NormalBP"}}).ok());
  const auto file = read_safetensors(folder / "a");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->metadata, (std::map<std::string, std::string>{{"mode", "NormalBP"}}));
  std::map<std::string, SafetensorsArray> arrays;
  for (const auto& array : file->arrays) arrays[array.name] = array;
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_EQ(arrays["leaf.1.weight"].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(arrays["leaf.1.weight"].values, State::Values(floats));
  EXPECT_EQ(arrays["d"].values, State::Values(doubles));
  EXPECT_TRUE(arrays["d"].shape.empty());
  EXPECT_EQ(arrays["c \"quoted\" \xc3\xa4"].values, State::Values(counters));
  EXPECT_EQ(arrays["none"].values, State::Values(std::vector<float>()));
}

TEST(Safetensors, TheLayoutIsTheFormats) {
  const test::TemporaryFolder folder;
  const float value = 1.0f;
  ASSERT_TRUE(write_safetensors(folder / "a", {{"w", SafetensorsType::kF32, {1, 1}, &value}}, {{"k", "v"}}).ok());
  const std::string bytes = test::slurp(folder / "a");
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  EXPECT_EQ(header % 8, 0u);
  EXPECT_EQ(bytes.size(), 8 + header + 4);
  std::string wanted = R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}})";
  wanted.resize(88, ' ');  // 82 characters, filled to a multiple of 8
  EXPECT_EQ(bytes.substr(8, header), wanted);
  EXPECT_EQ(bytes.substr(8 + header), std::string("\x00\x00\x80\x3f", 4));
}

TEST(Safetensors, EveryArrayStartsAligned) {
  const test::TemporaryFolder folder;
  const float f[3] = {1, 2, 3};
  const double d = 4;
  ASSERT_TRUE(
      write_safetensors(folder / "a", {{"f", SafetensorsType::kF32, {3}, f}, {"d", SafetensorsType::kF64, {1}, &d}}, {})
          .ok());
  const auto file = read_safetensors(folder / "a");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->arrays[0].name, "d");
  EXPECT_EQ(file->arrays[1].values, State::Values(std::vector<float>{1, 2, 3}));
}

TEST(Safetensors, WritingRefuses) {
  const test::TemporaryFolder folder;
  const float v = 0;
  const SafetensorsView view{"a", SafetensorsType::kF32, {1}, &v};
  EXPECT_THAT(write_safetensors(folder / "f", {view, view}, {}).message(), HasSubstr("the name 'a' is taken"));
  EXPECT_THAT(write_safetensors(folder / "f", {view}, {{"k", "\xff"}}).message(), HasSubstr("not UTF-8"));
  EXPECT_THAT(write_safetensors(folder / "f", {{"__metadata__", SafetensorsType::kF32, {1}, &v}}, {}).message(),
              HasSubstr("taken"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(Safetensors, EmptyFilesOfEitherKind) {
  EXPECT_EQ(with_header("{}"), "ok");
  EXPECT_THAT(reading(""), HasSubstr("data loss"));
  EXPECT_THAT(reading("1234567"), HasSubstr("7 bytes, wanted at least 8"));
  EXPECT_EQ(read_safetensors("/nonexistent/file").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(read_safetensors("/").status().code(), StatusCode::kIo);
}

TEST(Safetensors, TheHeaderSizeIsNotTrusted) {
  EXPECT_THAT(reading(std::string(8, '\xff') + "{}"),
              HasSubstr("a header of 18446744073709551615 bytes, wanted at most 2"));
  EXPECT_THAT(reading(std::string("\x03\0\0\0\0\0\0\0{}", 10)), HasSubstr("a header of 3 bytes, wanted at most 2"));
  EXPECT_THAT(reading(file_bytes(" {}", "")), HasSubstr("the header starts with ' {}', wanted '{'"));
}

// A sparse file of 100 MB and more whose header claims one byte beyond the limit.
TEST(Safetensors, TheHeaderIsLimited) {
  const test::TemporaryFolder folder;
  std::string bytes(8, '\0');
  const std::uint64_t size = 100'000'001;
  std::memcpy(bytes.data(), &size, 8);
  test::spill(folder / "a", bytes);
  std::filesystem::resize_file(folder / "a", size + 8);
  EXPECT_THAT(read_safetensors(folder / "a").status().message(),
              HasSubstr("a header of 100000001 bytes, wanted at most 100000000"));
}

TEST(Safetensors, TheHeaderMustBeJsonOfTheKind) {
  EXPECT_THAT(with_header("{\"a\":"), HasSubstr("data loss"));
  EXPECT_THAT(with_header("{\"a\":1}"), HasSubstr("'a': 1, wanted an object"));
  EXPECT_THAT(with_header("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4),
              HasSubstr("the key 'data_offsets' is missing"));
  EXPECT_THAT(with_header("{" + entry("a", "\"F32\"", "[1]", "[0,4],\"x\":1") + "}", 4), HasSubstr("unknown key 'x'"));
  EXPECT_THAT(with_header("{\"__metadata__\":{\"k\":1}}"), HasSubstr("'__metadata__'.'k': 1, wanted a text"));
  EXPECT_THAT(with_header("{\"__metadata__\":[]}"), HasSubstr("wanted an object"));
  EXPECT_THAT(
      with_header("{" + entry("a", "\"F32\"", "[1]", "[0,4]") + "," + entry("a", "\"F32\"", "[1]", "[0,4]") + "}", 4),
      HasSubstr("appears twice"));
  EXPECT_THAT(with_header("{\"a\":" + std::string(200'000, '[')), HasSubstr("nested deeper"));
}

TEST(Safetensors, EntriesAreChecked) {
  const auto one = [](const std::string& dtype, const std::string& shape, const std::string& offsets,
                      std::size_t data) { return with_header("{" + entry("a", dtype, shape, offsets) + "}", data); };
  EXPECT_EQ(one("\"F32\"", "[2]", "[0,8]", 8), "ok");
  EXPECT_THAT(one("\"F33\"", "[2]", "[0,8]", 8), HasSubstr("data loss: "));
  EXPECT_THAT(one("\"F33\"", "[2]", "[0,8]", 8), HasSubstr("'a'.dtype: 'F33', wanted F32, F64 or U64"));
  EXPECT_THAT(one("\"BF16\"", "[2]", "[0,4]", 4), HasSubstr("unsupported: "));
  EXPECT_THAT(one("7", "[2]", "[0,8]", 8), HasSubstr("'a'.dtype: 7, wanted a text"));
  EXPECT_THAT(one("\"F32\"", "[-1]", "[0,8]", 8), HasSubstr("'a'.shape[0]: -1"));
  EXPECT_THAT(one("\"F32\"", "[2.0]", "[0,8]", 8), HasSubstr("'a'.shape[0]: 2.0, wanted an integer"));
  EXPECT_THAT(one("\"F32\"", "2", "[0,8]", 8), HasSubstr("'a'.shape: 2, wanted a list"));
  EXPECT_THAT(one("\"F32\"", "[1099511627776,1099511627776]", "[0,8]", 8),
              HasSubstr("the product of the shape exceeds"));
  EXPECT_THAT(one("\"F32\"", "[3]", "[0,8]", 8), HasSubstr("data_offsets span 8 bytes, wanted 12"));
  EXPECT_THAT(one("\"F32\"", "[2]", "[8,0]", 8), HasSubstr("'a'.data_offsets[1]: 0"));
  EXPECT_THAT(one("\"F32\"", "[2]", "[0]", 8), HasSubstr("wanted a list of 2"));
  EXPECT_THAT(one("\"F32\"", "[2]", "[0,18446744073709551615]", 8), HasSubstr("'a'.data_offsets[1]"));
}

TEST(Safetensors, TheDataAreContiguousToTheEnd) {
  const std::string a = entry("a", "\"F32\"", "[1]", "[0,4]");
  EXPECT_EQ(with_header("{" + entry("b", "\"F32\"", "[1]", "[4,8]") + "," + a + "}", 8), "ok");
  EXPECT_THAT(with_header("{" + a + "," + entry("b", "\"F32\"", "[1]", "[5,9]") + "}", 9),
              HasSubstr("'b': data start at byte 5, wanted 4: they leave a hole"));
  EXPECT_THAT(with_header("{" + a + "," + entry("b", "\"F32\"", "[1]", "[2,6]") + "}", 8),
              HasSubstr("'b': data start at byte 2, wanted 4: they overlap"));
  EXPECT_THAT(with_header("{" + a + "," + entry("b", "\"F32\"", "[1]", "[0,4]") + "}", 4), HasSubstr("they overlap"));
  EXPECT_THAT(with_header("{" + a + "}", 3), HasSubstr("3 bytes of data, wanted 4"));
  EXPECT_THAT(with_header("{" + a + "}", 5), HasSubstr("5 bytes of data, wanted 4"));
  // A claim far beyond the file is refused before memory is asked for.
  EXPECT_THAT(with_header("{" + entry("a", "\"F64\"", "[1099511627776]", "[0,8796093022208]") + "}", 8),
              HasSubstr("8 bytes of data, wanted 8796093022208"));
}

TEST(Safetensors, TheDataAreAligned) {
  const std::string arrays = entry("a", "\"F32\"", "[1]", "[0,4]") + "," + entry("b", "\"F64\"", "[1]", "[4,12]");
  EXPECT_THAT(with_header("{" + arrays + "}", 12),
              HasSubstr("'b': data start at byte 4, wanted a multiple of 8, the size of an F64"));
}

TEST(Safetensors, EveryTruncationIsAnError) {
  const std::string good = file_bytes("{" + entry("a", "\"F32\"", "[2]", "[0,8]") + "}", std::string(8, 'x'));
  ASSERT_EQ(reading(good), "ok");
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_THAT(reading(good.substr(0, n)), HasSubstr("data loss")) << n;
}

// One array of a type that the format has, whether or not it is read.
std::string one_of(const std::string& type, const std::string& data, const std::string& shape = "[2]") {
  return test::safetensors({{"a", type, shape, data}});
}

TEST(SafetensorsReader, SixteenBitsBecomeFloats) {
  const test::TemporaryFolder folder;
  const auto values = [&](const std::string& bytes) {
    test::spill(folder / "a", bytes);
    auto reader = SafetensorsReader::open(folder / "a");
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return reader->values(reader->entries().front()).value();
  };
  // 1.5, the least above 0, the largest, -0.25; then 1.5, -2, the least above 0.
  EXPECT_EQ(values(one_of("F16", raw<std::uint16_t>({0x3e00, 0x0001, 0x7bff, 0xb400}), "[2,2]")),
            State::Values(std::vector<float>{1.5f, 0x1p-24f, 65504.0f, -0.25f}));
  EXPECT_EQ(values(one_of("BF16", raw<std::uint16_t>({0x3fc0, 0xc000, 0x0001}), "[3]")),
            State::Values(std::vector<float>{1.5f, -2.0f, 0x1p-133f}));
  // More than are read at a time.
  std::vector<std::uint16_t> many(70'000);
  std::vector<float> wanted;
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<std::uint16_t>(0x4000 + i % 256);  // bfloat16 from 2 on, in steps of 2^-6
    wanted.push_back(std::bit_cast<float>(std::uint32_t{many[i]} << 16));
  }
  EXPECT_EQ(values(one_of("BF16", raw(many), "[70000]")), State::Values(wanted));
  EXPECT_EQ(values(one_of("F16", "", "[0]")), State::Values(std::vector<float>()));
}

TEST(SafetensorsReader, ReadsInAnyOrder) {
  const test::TemporaryFolder folder;
  test::spill(folder / "a", test::safetensors({{"h", "F16", "[1]", raw<std::uint16_t>({0x3c00})},
                                               {"i", "I64", "[1]", raw<std::int64_t>({7})},
                                               {"f", "F32", "[1]", raw<float>({2.5f})}}));
  auto reader = SafetensorsReader::open(folder / "a");
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_EQ(reader->metadata().at("format"), "pt");
  ASSERT_EQ(reader->entries().size(), 3u);
  EXPECT_EQ(reader->entries()[1].type, "I64");
  EXPECT_EQ(reader->values(reader->entries()[2]).value(), State::Values(std::vector<float>{2.5f}));
  EXPECT_EQ(reader->values(reader->entries()[0]).value(), State::Values(std::vector<float>{1.0f}));
  const Status status = reader->values(reader->entries()[1]).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("a': 'i'.dtype: 'I64', wanted F32, F64, U64, F16 or BF16"));
}

TEST(SafetensorsReader, EveryTypeHasItsSize) {
  const test::TemporaryFolder folder;
  for (const auto& [type, bytes] :
       {std::pair{"BOOL", 4}, {"U8", 4},      {"I8", 4},   {"F8_E4M3", 4}, {"F8_E5M2", 4}, {"F8_E8M0", 4}, {"F4", 2},
        {"F6_E2M3", 3},       {"F6_E3M2", 3}, {"I16", 8},  {"U16", 8},     {"F16", 8},     {"BF16", 8},    {"I32", 16},
        {"U32", 16},          {"F32", 16},    {"I64", 32}, {"U64", 32},    {"F64", 32},    {"C64", 32}}) {
    const auto open = [&folder, type = type](int size) {
      test::spill(folder / "a", one_of(type, std::string(static_cast<std::size_t>(size), 'x'), "[4]"));
      return SafetensorsReader::open(folder / "a").status();
    };
    EXPECT_TRUE(open(bytes).ok()) << type << ": " << open(bytes).message();
    EXPECT_THAT(open(bytes + 1).message(), HasSubstr("wanted " + std::to_string(bytes) + " for dtype and shape"));
  }
  // The loader of models and states takes three of them.
  for (const char* type : {"F16", "BF16"}) {
    const std::string message = reading(one_of(type, "1234"));
    EXPECT_THAT(message, HasSubstr("unsupported: "));
    EXPECT_THAT(message, HasSubstr(std::string("'a'.dtype: '") + type + "', wanted F32, F64 or U64"));
  }
}

}  // namespace
}  // namespace weft
