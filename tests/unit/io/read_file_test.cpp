// Reading files, plain and gzip.
#include "src/io/read_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "src/io/gzip.h"
#include "tests/unit/io/temporary_folder.h"

namespace weft {
namespace {

using ::testing::HasSubstr;

// gzip of "weft\n" (gzip -n).
std::string weft_gz() {
  const unsigned char bytes[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2b, 0x4f, 0x4d,
                                 0x2b, 0xe1, 0x02, 0x00, 0x8d, 0x2e, 0xf4, 0x66, 0x05, 0x00, 0x00, 0x00};
  return {reinterpret_cast<const char*>(bytes), sizeof(bytes)};
}

TEST(ReadFile, GivesTheBytes) {
  const test::TemporaryFolder folder;
  const std::string bytes(200'000, '\0');
  test::spill(folder / "a", bytes);
  EXPECT_EQ(*read_file(folder / "a"), bytes);
  EXPECT_EQ(*read_maybe_gzip(folder / "a"), bytes);
  EXPECT_EQ(read_file(folder / "a", 199'999).status().code(), StatusCode::kDataLoss);
}

TEST(ReadFile, SaysWhyNot) {
  const test::TemporaryFolder folder;
  const Status status = read_file(folder / "gone").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "read '" + (folder / "gone").string() + "': No such file or directory");
  const Status of_folder = read_file(folder.path()).status();
  EXPECT_EQ(of_folder.code(), StatusCode::kIo);
  EXPECT_EQ(of_folder.message(), "read '" + folder.path().string() + "': a folder, wanted a file");
  // A pipe without a writer: opening it would wait.
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder / "pipe").status().message(),
            "read '" + (folder / "pipe").string() + "': a pipe, wanted a file");
  EXPECT_EQ(read_maybe_gzip("/dev/zero").status().message(), "read '/dev/zero': a device, wanted a file");
}

TEST(Gzip, IsRecognised) {
  EXPECT_TRUE(is_gzip(weft_gz()));
  EXPECT_FALSE(is_gzip("weft"));
  EXPECT_FALSE(is_gzip("\x1f"));
}

#ifdef WEFT_HAVE_ZLIB

TEST(Gzip, Decompresses) {
  EXPECT_EQ(*gunzip(weft_gz(), 100), "weft\n");
  EXPECT_EQ(*gunzip(weft_gz() + weft_gz(), 100), "weft\nweft\n");
}

TEST(Gzip, EveryTruncationAndEveryFlippedByteIsAnError) {
  const std::string good = weft_gz();
  for (std::size_t n = 0; n < good.size(); ++n) {
    const auto text = gunzip(good.substr(0, n), 100);
    ASSERT_FALSE(text.ok()) << n;
    EXPECT_EQ(text.status().code(), StatusCode::kDataLoss);
  }
  // Bytes 4..9 of the header (time, flags, system) do not matter to the contents, nor do the bits of
  // byte 16 behind the end of the compressed block.
  for (std::size_t i = 10; i < good.size(); ++i) {
    if (i == 16) continue;
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_FALSE(gunzip(bad, 100).ok()) << i;
  }
}

TEST(Gzip, SaysWhatIsWrong) {
  EXPECT_THAT(gunzip(weft_gz().substr(0, 12), 100).status().message(), HasSubstr("truncated at byte 12"));
  EXPECT_THAT(gunzip(weft_gz() + "junk", 100).status().message(), HasSubstr("something behind the end at byte 25"));
  EXPECT_THAT(gunzip(weft_gz(), 4).status().message(), HasSubstr("more than 4 bytes"));
  const test::TemporaryFolder folder;
  test::spill(folder / "a.gz", weft_gz().substr(0, 20));
  const Status status = read_maybe_gzip(folder / "a.gz").status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("read '" + (folder / "a.gz").string() + "': gzip: truncated"));
}

#else

TEST(Gzip, WithoutZlibIsUnsupported) { EXPECT_EQ(gunzip(weft_gz(), 100).status().code(), StatusCode::kUnsupported); }

#endif

}  // namespace
}  // namespace weft
