// The cache of compiled code: kept, found, damaged, unusable.
#include "src/generate/code_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace weft::test {
namespace {

using testing::Optional;
namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() : folder(fs::temp_directory_path() / ("weft-code-cache-" + std::to_string(getpid()))) {
    fs::remove_all(folder);
  }
  ~CodeCacheTest() override { fs::remove_all(folder); }

  fs::path only_file() const { return fs::directory_iterator(folder)->path(); }

  fs::path folder;
  const std::string code = std::string("\x7f") + "ELF\0and more" + std::string(1000, 'x');
};

TEST_F(CodeCacheTest, FindsWhatItKept) {
  const CodeCache cache(folder / "deep" / "down");
  EXPECT_EQ(cache.find("c 1", "text"), std::nullopt);
  cache.keep("c 1", "text", code);
  EXPECT_THAT(cache.find("c 1", "text"), Optional(code));
  EXPECT_THAT(CodeCache(folder / "deep" / "down").find("c 1", "text"), Optional(code));
}

TEST_F(CodeCacheTest, TellsTextsAndCompilersApart) {
  const CodeCache cache(folder);
  cache.keep("c 1", "text", "a");
  cache.keep("c 2", "text", "b");
  cache.keep("c 1", "other text", "c");
  EXPECT_THAT(cache.find("c 1", "text"), Optional(std::string("a")));
  EXPECT_THAT(cache.find("c 2", "text"), Optional(std::string("b")));
  EXPECT_THAT(cache.find("c 1", "other text"), Optional(std::string("c")));
  EXPECT_EQ(cache.find("c 1", "tex"), std::nullopt);
}

TEST_F(CodeCacheTest, DoesNotFindWhatWasDamaged) {
  const CodeCache cache(folder);
  cache.keep("c", "text", code);
  const fs::path file = only_file();
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_EQ(cache.find("c", "text"), std::nullopt);
  cache.keep("c", "text", code);
  EXPECT_THAT(cache.find("c", "text"), Optional(code));
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(-3, std::ios::end).put('y');
  EXPECT_EQ(cache.find("c", "text"), std::nullopt);
  fs::resize_file(file, 0);
  EXPECT_EQ(cache.find("c", "text"), std::nullopt);
}

TEST_F(CodeCacheTest, GoesWithoutAFolderThatItCannotHave) {
  std::ofstream(folder) << "a file";
  const CodeCache cache(folder / "inside");
  cache.keep("c", "text", code);
  EXPECT_EQ(cache.find("c", "text"), std::nullopt);
  const CodeCache none("");
  none.keep("c", "text", code);
  EXPECT_EQ(none.find("c", "text"), std::nullopt);
}

TEST_F(CodeCacheTest, IsWhereTheUserSays) {
  setenv("WEFT_CACHE_DIR", folder.c_str(), 1);
  CodeCache::of_user().keep("c", "text", code);
  EXPECT_THAT(CodeCache(folder).find("c", "text"), Optional(code));
  setenv("WEFT_CACHE_DIR", "", 1);
  EXPECT_EQ(CodeCache::of_user().find("c", "text"), std::nullopt);
  unsetenv("WEFT_CACHE_DIR");
}

TEST(Fingerprint, IsThirtyTwoDigitsOfEveryByte) {
  EXPECT_EQ(fingerprint("").size(), 32u);
  EXPECT_EQ(fingerprint("ab"), fingerprint("ab"));
  EXPECT_NE(fingerprint("ab"), fingerprint("ba"));
  EXPECT_NE(fingerprint(std::string("a\0", 2)), fingerprint("a"));
}

}  // namespace
}  // namespace weft::test
