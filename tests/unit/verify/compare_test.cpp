// The models that devices are compared on: every mode trains some, and a device agrees with itself.
#include "src/verify/compare.h"

#include <gtest/gtest.h>

namespace weft::verify {
namespace {

TEST(Compare, EveryModeTrainsSeveralModels) {
  for (const Mode mode : all_modes()) {
    const CompareResult result = compare_devices(mode, "cpu", "cpu");
    EXPECT_GE(result.models, 3U) << to_string(mode);
    EXPECT_TRUE(result.passed()) << to_string(mode) << ": " << (result.failures.empty() ? "" : result.failures.front());
    EXPECT_EQ(result.weight_error, 0.0) << to_string(mode);
  }
}

TEST(Compare, AnAbsentDeviceFails) {
  const CompareResult result = compare_devices(Mode{}, "cpu", "abacus");
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.failures.size(), result.models);
}

}  // namespace
}  // namespace weft::verify
