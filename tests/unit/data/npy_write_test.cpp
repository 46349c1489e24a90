// Arrays written as .npy: the bytes, and read back.
#include "src/data/npy_write.h"

#include <gmock/gmock.h>

#include <array>

#include "src/data/npy.h"
#include "tests/unit/data/complaint.h"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::array<float, 6> kNumbers{0.0f, -1.5f, 3e38f, 1e-45f, 0.1f, -0.0f};

TEST(NpyWrite, TheBytes) {
  const test::TemporaryFolder folder;
  const std::array<std::int64_t, 2> shape{3, 2};
  ASSERT_TRUE(data::write_npy(folder / "a.npy", kNumbers, shape).ok());
  const std::string bytes = test::slurp(folder / "a.npy");
  EXPECT_THAT(folder.names(), ElementsAre("a.npy"));
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  EXPECT_THAT(bytes.substr(10), StartsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"));
  const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(header % 64, 0u);
  EXPECT_EQ(bytes[header - 1], '\n');
  ASSERT_EQ(bytes.size(), header + 24);
  EXPECT_EQ(bytes.substr(header + 4, 4), std::string("\x00\x00\xc0\xbf", 4));
}

TEST(NpyWrite, ReadBack) {
  const test::TemporaryFolder folder;
  const std::array<std::int64_t, 2> shape{3, 2};
  ASSERT_TRUE(data::write_npy(folder / "a.npy", kNumbers, shape).ok());
  const auto array = data::read_npy(test::slurp(folder / "a.npy"), "a");
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_THAT(array->shape, ElementsAre(3, 2));
  EXPECT_EQ(data::to_floats(*array).value(), std::vector<float>(kNumbers.begin(), kNumbers.end()));
}

TEST(NpyWrite, MoreThanABlock) {
  const test::TemporaryFolder folder;
  std::vector<float> numbers(40000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) * 0.37f;
  const std::array<std::int64_t, 1> shape{40000};
  ASSERT_TRUE(data::write_npy(folder / "a.npy", numbers, shape).ok());
  EXPECT_EQ(data::to_floats(data::read_npy(test::slurp(folder / "a.npy"), "a").value()).value(), numbers);
}

TEST(NpyWrite, WhatCannotBe) {
  const test::TemporaryFolder folder;
  const std::array<std::int64_t, 1> shape{5};
  EXPECT_THAT(data::write_npy(folder / "a.npy", kNumbers, shape).message(),
              HasSubstr("6 numbers for shape [5], wanted 5"));
  const std::array<std::int64_t, 1> right{6};
  EXPECT_EQ(data::write_npy(folder / "none" / "a.npy", kNumbers, right).code(), StatusCode::kNotFound);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace weft
