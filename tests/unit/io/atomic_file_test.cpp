// AtomicFile: whole or not at all, faults included.
#include "src/io/atomic_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/io/temporary_folder.h"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// No file of this process may grow beyond `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(AtomicFile, WritesAndReplaces) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "a", "first", 5).ok());
  EXPECT_EQ(test::slurp(folder / "a"), "first");
  ASSERT_TRUE(write_file_atomically(folder / "a", "2", 1).ok());
  EXPECT_EQ(test::slurp(folder / "a"), "2");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, NothingIsSeenBeforeCommit) {
  const test::TemporaryFolder folder;
  test::spill(folder / "a", "old");
  {
    auto file = AtomicFile::create(folder / "a");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("new", 3).ok());
    EXPECT_EQ(test::slurp(folder / "a"), "old");
  }
  EXPECT_EQ(test::slurp(folder / "a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, TwoWritersOfOneTargetDoNotMeet) {
  const test::TemporaryFolder folder;
  auto one = AtomicFile::create(folder / "a");
  auto two = AtomicFile::create(folder / "a");
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE(one->write("one", 3).ok());
  ASSERT_TRUE(two->write("two", 3).ok());
  ASSERT_TRUE(two->commit().ok());
  ASSERT_TRUE(one->commit().ok());
  EXPECT_EQ(test::slurp(folder / "a"), "one");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, AFailedWriteKeepsTheOldFile) {
  const test::TemporaryFolder folder;
  test::spill(folder / "a", "old");
  const std::string large(1 << 20, 'x');
  Status status;
  {
    const FileSizeLimit limit(1000);
    status = write_file_atomically(folder / "a", large.data(), large.size());
  }
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("write '" + (folder / "a").string() + "': cannot write: File too large"));
  EXPECT_EQ(test::slurp(folder / "a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, AFailedRenameRemovesTheTemporary) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  const Status status = write_file_atomically(folder / "a", "x", 1);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("cannot rename the temporary to it"));
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, AMissingFolderIsNotFound) {
  const test::TemporaryFolder folder;
  const Status status = write_file_atomically(folder / "no" / "a", "x", 1);
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("No such file or directory"));
  EXPECT_EQ(write_file_atomically(folder.path() / "", "x", 1).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace weft
