// Tensor: ownership, views, conversion and what validate refuses.
#include "weft/tensor.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <utility>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tensor, IsEmptyByDefault) {
  const Tensor tensor;
  EXPECT_TRUE(tensor.empty());
  EXPECT_EQ(tensor.elements(), 0);
  EXPECT_EQ(tensor.bytes(), 0u);
  EXPECT_FALSE(tensor.validate().ok());
}

TEST(Tensor, OwnsZeros) {
  Tensor tensor(Shape{2, 3}, DType::kFloat64);
  EXPECT_TRUE(tensor.validate().ok());
  EXPECT_EQ(tensor.bytes(), 48u);
  EXPECT_EQ(tensor.values<double>().size(), 6u);
  EXPECT_TRUE(tensor.values<float>().empty());
  tensor.mutable_values<double>()[5] = 2.5;
  EXPECT_EQ(tensor.at(5), 2.5);
  EXPECT_TRUE(std::isnan(tensor.at(6)));
  EXPECT_TRUE(std::isnan(tensor.at(-1)));
}

TEST(Tensor, CopiesAreDeep) {
  Tensor a(Shape{2}, std::vector<float>{1, 2});
  Tensor b = a;
  b.mutable_values<float>()[0] = 9;
  EXPECT_THAT(a.values<float>(), ElementsAre(1, 2));
  EXPECT_THAT(b.values<float>(), ElementsAre(9, 2));
}

TEST(Tensor, ViewsReferToTheCaller) {
  std::array<float, 4> memory{1, 2, 3, 4};
  Tensor view = Tensor::view(Shape{2, 2}, memory);
  EXPECT_TRUE(view.is_view());
  EXPECT_EQ(view.data(), memory.data());
  memory[3] = 8;
  EXPECT_EQ(view.at(3), 8.0);
  EXPECT_TRUE(view.mutable_values<float>().empty());
  const Tensor owned = view.to(DType::kFloat32);
  EXPECT_FALSE(owned.is_view());
  memory[3] = 0;
  EXPECT_EQ(owned.at(3), 8.0);
}

TEST(Tensor, ConvertsBothWays) {
  const Tensor doubles(Shape{2}, std::vector<double>{0.1, -2.0});
  const Tensor floats = doubles.to(DType::kFloat32);
  EXPECT_EQ(floats.dtype(), DType::kFloat32);
  EXPECT_THAT(floats.values<float>(), ElementsAre(0.1f, -2.0f));
  EXPECT_THAT(floats.to(DType::kFloat64).values<double>(), ElementsAre(static_cast<double>(0.1f), -2.0));
}

TEST(Tensor, SaysWhatIsWrong) {
  EXPECT_THAT(Tensor(Shape{2, 2}, std::vector<float>{1, 2, 3}).validate().message(),
              HasSubstr("3 values, wanted 4 for shape [2, 2]"));
  EXPECT_THAT(Tensor(Shape{0, 2}).validate().message(), HasSubstr("axis 0 is 0, wanted 1 or more"));
  const Tensor half(Shape{2}, DType::kFloat16);
  EXPECT_EQ(half.validate().code(), StatusCode::kUnsupported);
  EXPECT_THAT(half.validate().message(), HasSubstr("dtype float16, wanted float32 or float64"));
}

TEST(Tensor, AnAbsurdShapeAllocatesNothing) {
  const Tensor tensor(Shape{std::int64_t{1} << 32, std::int64_t{1} << 32});
  EXPECT_TRUE(tensor.empty());
  EXPECT_EQ(tensor.validate().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace weft
