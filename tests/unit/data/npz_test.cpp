// NPZ archives: stored and deflated arrays, and damage to either.
#include <gmock/gmock.h>

#include "tests/unit/data/complaint.h"
#include "tests/unit/data/npy_bytes.h"

#ifdef WEFT_HAVE_ZLIB

namespace weft {
namespace {

using test::npy;
using test::zip;
using test::ZipFile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(const std::string& bytes, const data::ArrayOptions& options = {}) {
  const test::DataFile file(bytes);
  const auto d = data::npz(file.path(), options);
  if (d.ok()) return "ok";
  return std::string(to_string(d.status().code())) + ": " + test::without_path(d.status().message(), file.path());
}

ZipFile array(const std::string& name, const std::vector<int>& numbers, bool deflated = false) {
  return {name + ".npy", npy("|u1", "(" + std::to_string(numbers.size()) + ",)", test::u8s(numbers)), deflated};
}

TEST(Npz, StoredAndDeflated) {
  for (const bool deflated : {false, true}) {
    const test::DataFile file(zip({array("x", {1, 2, 3}, deflated), array("y", {5, 4, 5}, deflated)}));
    const auto d = data::npz(file.path());
    ASSERT_TRUE(d.ok()) << d.status().message();
    EXPECT_THAT(test::numbers(d->inputs), ElementsAre(1, 2, 3));
    EXPECT_THAT(d->labels, ElementsAre(1, 0, 1));
    EXPECT_THAT(d->notes, Contains("inputs are the array 'x', labels 'y'"));
  }
}

TEST(Npz, ATestPartOfItsOwn) {
  const test::DataFile file(
      zip({array("x_test", {9}), array("x_train", {1, 2, 3}), array("y_train", {5, 4, 5}), array("y_test", {4})}));
  const auto d = data::npz(file.path());
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_EQ(d->test_rows, 1);
  EXPECT_THAT(test::numbers(d->inputs), ElementsAre(1, 2, 3, 9));
  EXPECT_THAT(d->labels, ElementsAre(1, 0, 1, 0));
  const auto named = data::npz(file.path(), {.inputs = "x_test", .targets = "y_test"});
  ASSERT_TRUE(named.ok()) << named.status().message();
  EXPECT_EQ(named->size(), 1);
}

TEST(Npz, Names) {
  const std::string bytes = zip({array("a", {1}), array("b", {1})});
  EXPECT_EQ(complaint(bytes),
            "invalid argument: npz: F: arrays a, b, wanted x and y, x_train and y_train, or names for "
            "inputs and targets");
  EXPECT_THAT(complaint(bytes, {.inputs = "a", .targets = "c"}), HasSubstr("F: no array 'c', wanted one of: a, b"));
  EXPECT_EQ(complaint(bytes, {.inputs = "a", .targets = "b"}), "ok");
  EXPECT_THAT(complaint(bytes, {.targets = "b"}), HasSubstr("wanted the inputs' name too"));
  EXPECT_THAT(complaint(zip({})), HasSubstr("F: no arrays (.npy)"));
  EXPECT_THAT(complaint(zip({array("x", {1, 2}), array("y", {1})})),
              HasSubstr("npz: F: 'y.npy': shape [1], wanted 2 rows as npz: F: 'x.npy' has"));
}

TEST(Npz, Damage) {
  const std::string good = zip({array("x", {1, 2, 3}), array("y", {5, 4, 5}, true)});
  EXPECT_EQ(complaint(good), "ok");
  EXPECT_EQ(complaint(""), "data loss: npz: F: 0 bytes, wanted a zip archive");
  EXPECT_THAT(complaint(good.substr(0, good.size() - 1)), HasSubstr("F: no end of a central directory"));
  EXPECT_THAT(complaint("x" + good), HasSubstr("F: a directory from byte"));
  std::string flipped = good;
  flipped[45] = static_cast<char>(flipped[45] ^ 1);
  EXPECT_THAT(complaint(flipped), HasSubstr("data loss: npz: F: 'x.npy': checksum"));
  ZipFile big = array("x", {1, 2, 3}, true);
  big.size = 1 << 30;
  EXPECT_THAT(complaint(zip({big, array("y", {1})})), HasSubstr("'x.npy': 1073741824 bytes out of"));
  big.size = 1;
  EXPECT_THAT(complaint(zip({big, array("y", {1})})), HasSubstr("'x.npy': more than 1 bytes inflated"));
  big.size = static_cast<std::int64_t>(big.text.size()) + 1;
  EXPECT_THAT(complaint(zip({big, array("y", {1})})), HasSubstr("bytes inflated, wanted"));
  EXPECT_THAT(complaint(zip({array("x", {1}), array("x", {1})})), HasSubstr("F: two entries of the name 'x.npy'"));
  std::string lost = good;
  lost[lost.find("PK\x01\x02") + 42] = 7;  // where the local header lies
  EXPECT_THAT(complaint(lost), HasSubstr("'x.npy': no local header where the directory says"));
  EXPECT_THAT(complaint(zip({array("x", {1}), {"y.npy", "junk"}})),
              HasSubstr("npz: F: 'y.npy': starts with 'junk', wanted \\x93NUMPY"));
  EXPECT_THAT(complaint(zip({array("x", {1}), {"y.npy", npy("|O", "(1,)", "pickle")}})),
              HasSubstr("'y.npy': descr: '|O', pickled"));
}

TEST(Npz, WhatIsRefused) {
  ZipFile file = array("x", {1});
  file.flags = 1;
  EXPECT_THAT(complaint(zip({file})), HasSubstr("unsupported: npz: F: 'x.npy': encrypted"));
  file.flags = 0;
  file.method = 12;
  EXPECT_THAT(complaint(zip({file})),
              HasSubstr("unsupported: npz: F: 'x.npy': compression method 12, wanted 0 (stored) or 8"));
  file.method = 0;
  file.size = 0xffffffff;
  EXPECT_THAT(complaint(zip({file})), HasSubstr("unsupported: npz: F: 'x.npy': zip64 (4 GiB and more)"));
  EXPECT_THAT(complaint(zip({array("x", {1}), array("y", {1})}), {.memory = 100}),
              HasSubstr("resource exhausted: npz: F: "));
  // The archive, and one array beside it.
  const std::string bytes = zip({array("x", {1}), array("y", {1})});
  EXPECT_THAT(complaint(bytes, {.memory = bytes.size() + 140}), HasSubstr("npz: F: 'y.npy': "));
  EXPECT_THAT(complaint(bytes, {.memory = bytes.size() + 140}), HasSubstr("that are held already, wanted at most"));
}

}  // namespace
}  // namespace weft

#endif
