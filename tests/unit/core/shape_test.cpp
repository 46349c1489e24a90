// Shape: sizes, and what is refused.
#include "weft/shape.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace weft {
namespace {

using ::testing::HasSubstr;

TEST(Shape, Sizes) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.elements(), 24);
  EXPECT_EQ(shape.features(), 4);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.with_features(7), (Shape{2, 3, 7}));
  EXPECT_EQ(to_string(shape), "[2, 3, 4]");
}

TEST(Shape, RankZeroIsOneNumber) {
  const Shape shape;
  EXPECT_EQ(shape.elements(), 1);
  EXPECT_EQ(shape.features(), 1);
  EXPECT_EQ(shape.rows(), 1);
  EXPECT_EQ(shape.with_features(5), Shape{5});
  EXPECT_EQ(to_string(shape), "[]");
  EXPECT_TRUE(shape.validate().ok());
}

TEST(Shape, RefusesSizesBelowOne) {
  for (std::int64_t bad : {std::int64_t{0}, std::int64_t{-3}, std::numeric_limits<std::int64_t>::min()}) {
    const Status status = Shape{2, bad}.validate();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("axis 1 is " + std::to_string(bad) + ", wanted 1 or more"));
  }
}

TEST(Shape, RefusesMoreThanTwoToTheForty) {
  EXPECT_TRUE((Shape{std::int64_t{1} << 20, std::int64_t{1} << 20}.validate().ok()));
  EXPECT_EQ((Shape{std::int64_t{1} << 40, 2}.validate().code()), StatusCode::kResourceExhausted);
  // 2^32 * 2^32 is 0 in 64 bits, 3 * 2^63 wraps to a positive number.
  EXPECT_EQ((Shape{std::int64_t{1} << 32, std::int64_t{1} << 32}.validate().code()), StatusCode::kResourceExhausted);
  EXPECT_EQ((Shape{std::numeric_limits<std::int64_t>::max(), 3}.validate().code()), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace weft
