// Archives that are written, read back by the reader and byte by byte.
#include "src/io/zip_write.h"

#include <gmock/gmock.h>

#include "src/data/zip.h"
#include "tests/unit/data/npy_bytes.h"
#include "tests/unit/io/temporary_folder.h"

#ifdef WEFT_HAVE_ZLIB

namespace weft {
namespace {

using ::testing::HasSubstr;

ZipPart part(const std::string& text) { return {text.data(), text.size()}; }

TEST(ZipWrite, IsReadBack) {
  const test::TemporaryFolder folder;
  const std::string one = "one ", two = "two", long_text(100'000, 'x');
  ASSERT_TRUE(
      write_zip(folder / "a", {{"b.txt", {part(one), part(two)}}, {"a.txt", {}}, {"l", {part(long_text)}}}).ok());
  const std::string bytes = test::slurp(folder / "a");
  const auto entries = data::read_zip(bytes);
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries->size(), 3u);
  const std::string wanted[] = {"one two", "", long_text};
  const char* const names[] = {"b.txt", "a.txt", "l"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*entries)[i].name, names[i]);
    EXPECT_FALSE((*entries)[i].deflated);
    const auto text = data::unzip(bytes, (*entries)[i], 1 << 20);  // which compares the checksum
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(*text, wanted[i]);
  }
  ASSERT_TRUE(write_zip(folder / "none", {}).ok());
  EXPECT_TRUE(data::read_zip(test::slurp(folder / "none"))->empty());
}

TEST(ZipWrite, TheBytesAreTheFormats) {
  const test::TemporaryFolder folder;
  const std::string text = "abc";
  ASSERT_TRUE(write_zip(folder / "a", {{"n", {part(text)}}}).ok());
  using test::bytes_of;
  // Version 2.0, UTF-8 names, stored, midnight of 1980-01-01, CRC-32 of "abc", sizes.
  const std::string common = bytes_of(20, 2) + bytes_of(0x800, 2) + bytes_of(0, 2) + bytes_of(0, 2) + bytes_of(33, 2) +
                             bytes_of(0x352441c2, 4) + bytes_of(3, 4) + bytes_of(3, 4) + bytes_of(1, 2) +
                             bytes_of(0, 2);
  const std::string local = "PK\x03\x04" + common + "nabc";
  const std::string directory =
      "PK\x01\x02" + bytes_of(0x0314, 2) + common + bytes_of(0, 6) + bytes_of(0100644u << 16, 4) + bytes_of(0, 4) + "n";
  EXPECT_EQ(test::slurp(folder / "a"), local + directory + "PK\x05\x06" + bytes_of(0, 4) + bytes_of(1, 2) +
                                           bytes_of(1, 2) + bytes_of(directory.size(), 4) + bytes_of(local.size(), 4) +
                                           bytes_of(0, 2));
}

TEST(ZipWrite, WhatOnlyZip64CanHoldIsRefused) {
  const test::TemporaryFolder folder;
  const auto complaint = [&](const std::vector<ZipSource>& entries) {
    const Status status = write_zip(folder / "a", entries);
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_TRUE(folder.names().empty());
    return status.message();
  };
  // The sizes alone are looked at: there is no memory behind these parts.
  const ZipPart large{nullptr, 0xffffffff}, half{nullptr, 0x80000000};
  EXPECT_THAT(complaint({{"big", {large}}}),
              HasSubstr("a': 'big' has 4294967295 bytes, wanted less than 4 GiB; zip64 is not written"));
  EXPECT_THAT(complaint({{"big", {half, half}}}), HasSubstr("'big' has 4294967296 bytes"));
  EXPECT_THAT(complaint({{"a", {half}}, {"b", {half}}}), HasSubstr("bytes in all, wanted less than 4 GiB"));
  std::vector<ZipSource> many;
  many.reserve(65535);
  for (int i = 0; i < 65535; ++i) many.push_back({std::to_string(i), {}});
  EXPECT_THAT(complaint(many), HasSubstr("65535 entries, wanted fewer than 65535"));
  many.pop_back();
  EXPECT_TRUE(write_zip(folder / "a", many).ok());
  EXPECT_EQ(data::read_zip(test::slurp(folder / "a"))->size(), 65534u);
}

TEST(ZipWrite, NamesAndPlacesThatAreRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(write_zip(folder / "a", {{"x", {}}, {"x", {}}}).message(), HasSubstr("two entries of the name 'x'"));
  EXPECT_THAT(write_zip(folder / "a", {{"", {}}}).message(), HasSubstr("a name of 0 bytes, wanted 1 to 65535"));
  EXPECT_THAT(write_zip(folder / "a", {{std::string(65536, 'n'), {}}}).message(), HasSubstr("of 65536 bytes"));
  EXPECT_EQ(write_zip(folder / "none/a", {}).code(), StatusCode::kNotFound);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace weft

#endif
