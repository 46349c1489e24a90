// What tests of native_cpu's vector loops share: numbers with guarded edges, and a fixture that runs with one kind of
// vectors.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/backend/native_cpu/simd.h"
#include "tests/support/tolerance.h"
#include "weft/random.hpp"

namespace weft::test {

using native_cpu::Team;

inline constexpr float kEdge = -77.0F;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 131};

/// Numbers with an edge on both sides that must stay.
class Numbers {
 public:
  Numbers(std::int64_t count, std::uint64_t seed, double size = 1.0)
      : values_(static_cast<std::size_t>(count) + 2, kEdge) {
    Random random(seed);
    for (std::size_t i = 1; i + 1 < values_.size(); ++i) values_[i] = static_cast<float>(random.uniform(-size, size));
  }
  explicit Numbers(const std::vector<float>& values) : values_(values) {
    values_.insert(values_.begin(), kEdge);
    values_.push_back(kEdge);
  }
  ~Numbers() { EXPECT_TRUE(values_.front() == kEdge && values_.back() == kEdge) << "written beyond the result"; }
  Numbers(const Numbers&) = default;

  float* data() { return values_.data() + 1; }
  const float* data() const { return values_.data() + 1; }
  float& at(std::int64_t i) { return values_[static_cast<std::size_t>(i) + 1]; }
  double operator[](std::int64_t i) const { return values_[static_cast<std::size_t>(i) + 1]; }
  std::int64_t size() const { return std::ssize(values_) - 2; }
  bool operator==(const Numbers& other) const {
    return std::equal(values_.begin(), values_.end(), other.values_.begin(), other.values_.end(), [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    });
  }

 private:
  std::vector<float> values_;
};

inline double allowed(OpClass op_class, double magnitude, std::int64_t terms = 1) {
  return tolerance(op_class, DType::kFloat32, magnitude, terms);
}

/// Runs with one kind of vectors.
class Loops : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().DeInit();
    ASSERT_EQ(native_cpu::simd_name(), hwy::TargetName(GetParam()));
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
  Team one{1}, three{3};
};

inline std::vector<std::int64_t> kinds() {
  std::vector<std::int64_t> targets;
  constexpr std::int64_t kNotMade = HWY_AVX3_DL | HWY_SSSE3;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS & ~kNotMade; left != 0; left &= left - 1)
    targets.push_back(left & -left);
  return targets;
}
inline std::string name_of_kind(const testing::TestParamInfo<std::int64_t>& kind) {
  return hwy::TargetName(kind.param);
}

}  // namespace weft::test
