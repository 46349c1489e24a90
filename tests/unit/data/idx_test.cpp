// IDX files, good and bad, and Fashion-MNIST made of them.
#include <gmock/gmock.h>
#include <stdlib.h>

#include "tests/unit/data/complaint.h"
#include "tests/unit/data/npy_bytes.h"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What is said of images I and labels L.
std::string complaint(const std::string& images, const std::string& labels, const data::ArrayOptions& options = {}) {
  const test::TemporaryFolder folder;
  test::spill(folder / "images", images);
  test::spill(folder / "labels", labels);
  const auto dataset = data::idx(folder / "images", folder / "labels", options);
  if (dataset.ok()) return "ok";
  std::string message = std::string(to_string(dataset.status().code())) + ": " + dataset.status().message();
  const std::string path = folder.path().string() + "/";
  for (auto at = message.find(path); at != std::string::npos; at = message.find(path)) message.erase(at, path.size());
  return message;
}

TEST(Idx, ImagesAndLabels) {
  const test::TemporaryFolder folder;
  test::spill(folder / "images", test::idx({3, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255}));
  test::spill(folder / "labels", test::idx({3}, {7, 2, 7}));
  const auto d = data::idx(folder / "images", folder / "labels");
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_EQ(d->inputs.shape(), (Shape{3, 4}));
  EXPECT_EQ(d->item, (Shape{2, 2}));
  EXPECT_EQ(d->type, "uint8");
  EXPECT_TRUE(d->alike);
  EXPECT_EQ(d->inputs.at(11), 255.0);
  EXPECT_THAT(d->labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(d->classes, ElementsAre("2", "7"));
  EXPECT_TRUE(data::idx(folder / "images", {})->labels.empty());
}

TEST(Idx, OtherTypesAreBigEndian) {
  const test::TemporaryFolder folder;
  test::spill(folder / "x",
              test::idx({2, 1}, {}, 0x0d) + test::bytes_of(0x3fc00000, 4, true) + test::bytes_of(0xc0000000, 4, true));
  test::spill(folder / "y",
              test::idx({2}, {}, 0x0b) + test::bytes_of(0xffff, 2, true) + test::bytes_of(0x0100, 2, true));
  const auto d = data::idx(folder / "x", folder / "y");
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_THAT(test::numbers(d->inputs), ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(d->classes, ElementsAre("-1", "256"));
}

TEST(Idx, BadFiles) {
  const std::string images = test::idx({2, 2, 1}, {1, 2, 3, 4}), labels = test::idx({2}, {0, 1});
  EXPECT_EQ(complaint(images, labels), "ok");
  EXPECT_EQ(complaint("", labels), "data loss: idx: images: empty, wanted an IDX file");
  EXPECT_EQ(complaint("PNG?", labels),
            "data loss: idx: images: magic number 0x504e473f, wanted 0x0000TTNN: a type TT (08 "
            "for bytes) and NN axes from 1 to 8");
  EXPECT_THAT(complaint(images, test::idx({2}, {0, 1}, 7)), HasSubstr("idx: labels: magic number 0x00000701, wanted"));
  EXPECT_THAT(complaint(images.substr(0, 9), labels),
              HasSubstr("idx: images: truncated: 9 bytes, wanted a header of 16"));
  EXPECT_EQ(complaint(images.substr(0, images.size() - 1), labels),
            "data loss: idx: images: truncated: 3 bytes of numbers, wanted 4 for shape [2, 2, 1] of uint8");
  EXPECT_THAT(complaint(images + "x", labels),
              HasSubstr("data loss: idx: images: 1 bytes behind the numbers, wanted none"));
  EXPECT_EQ(complaint(images, test::idx({3}, {0, 1, 1})),
            "invalid argument: idx: labels: shape [3], wanted 2 rows as idx: images has");
  EXPECT_THAT(complaint(test::idx({0, 2}, {}), labels),
              HasSubstr("idx: images: empty: shape [0, 2], wanted axes of at least 1"));
  EXPECT_THAT(complaint(test::idx({0xffffffff, 0xffffffff, 0xffffffff}, {1}), labels),
              HasSubstr("truncated: 1 bytes of numbers"));
  EXPECT_EQ(
      complaint(images, test::idx({2}, {0, 9}), {.classes = 3}),
      "invalid argument: idx: labels: row 1: 9, wanted a whole number from 0 to 2, the label of one of 3 classes");
  EXPECT_THAT(complaint(images, test::idx({2, 2}, {0, 1, 0, 1})),
              HasSubstr("labels: shape [2, 2], wanted labels of shape [2]"));
  EXPECT_THAT(complaint(images, labels, {.memory = 10}),
              HasSubstr("resource exhausted: idx: images: 20 bytes, wanted at most 10"));
  EXPECT_EQ(data::idx("/nonexistent/i", {}).status().code(), StatusCode::kNotFound);
}

#ifdef WEFT_HAVE_ZLIB
TEST(Idx, DamagedGzip) {
  const std::string labels = test::idx({2}, {0, 1});
  EXPECT_THAT(complaint(std::string("\x1f\x8b\x08\0\0\0\0\0\0\3", 10), labels),
              HasSubstr("data loss: idx: images: gzip: truncated"));
  EXPECT_THAT(complaint("\x1f\x8b\x01 damaged", labels), HasSubstr("gzip: unknown compression method"));
}
#endif

// A folder of tiny images in the four files.
void make_fashion(const test::TemporaryFolder& folder, int label = 9) {
  test::spill(folder / "train-images-idx3-ubyte", test::idx({2, 1, 2}, {0, 255, 51, 0}));
  test::spill(folder / "train-labels-idx1-ubyte", test::idx({2}, {0, label}));
  test::spill(folder / "t10k-images-idx3-ubyte.gz", test::idx({1, 1, 2}, {255, 51}));
  test::spill(folder / "t10k-labels-idx1-ubyte.gz", test::idx({1}, {3}));
}

TEST(FashionMnist, FourFilesOfAFolder) {
  const test::TemporaryFolder folder;
  make_fashion(folder);
  const auto split = data::fashion_mnist(folder.path());
  ASSERT_TRUE(split.ok()) << split.status().message();
  EXPECT_THAT(test::numbers(split->train.inputs), ElementsAre(0.0f, 1.0f, 0.2f, 0.0f));
  EXPECT_THAT(split->train.labels, ElementsAre(0, 9));
  EXPECT_THAT(split->test.labels, ElementsAre(3));
  EXPECT_EQ(split->classes.size(), 10u);
  EXPECT_EQ(split->classes[9], "ankle boot");
  EXPECT_EQ(split->train.targets.shape(), (Shape{2, 10}));
}

TEST(FashionMnist, WhatIsWrong) {
  const test::TemporaryFolder folder;
  const Status none = data::fashion_mnist(folder.path()).status();
  EXPECT_EQ(none.code(), StatusCode::kNotFound);
  EXPECT_THAT(none.message(), HasSubstr("fashion-mnist: train-images-idx3-ubyte.gz is not in '" +
                                        folder.path().string() + "'; install Debian's package dataset-fashion-mnist"));
  make_fashion(folder, 10);
  EXPECT_THAT(data::fashion_mnist(folder.path()).status().message(),
              HasSubstr("train-labels-idx1-ubyte: row 1: 10, wanted a whole number from 0 to 9"));
  std::filesystem::remove(folder / "t10k-labels-idx1-ubyte.gz");
  EXPECT_THAT(data::fashion_mnist(folder.path()).status().message(),
              HasSubstr("has no t10k-labels-idx1-ubyte.gz, wanted all four"));
}

TEST(FashionMnist, TheUsualPlacesAreNamed) {
  const test::TemporaryFolder folder;
  const char* old = getenv("WEFT_DATA_DIR");
  const std::string before = old != nullptr ? old : "";
  setenv("WEFT_DATA_DIR", folder.path().c_str(), 1);
  const auto split = data::fashion_mnist();
  before.empty() ? unsetenv("WEFT_DATA_DIR") : setenv("WEFT_DATA_DIR", before.c_str(), 1);
  if (split.ok()) {
    EXPECT_EQ(split->train.size(), 60000);
    EXPECT_EQ(split->test.size(), 10000);
    GTEST_SKIP() << "the package is installed";
  }
  for (const char* place : {"/fashion-mnist'", "'/usr/share/datasets/fashion-mnist'"}) {
    EXPECT_THAT(split.status().message(), HasSubstr(place));
  }
}

}  // namespace
}  // namespace weft
