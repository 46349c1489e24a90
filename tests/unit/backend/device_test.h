// DeviceTest: hand-computed cases that run on the cpu device in both storages, on native_cpu, cuda
// and metal.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/support/tolerance.h"
#include "tests/unit/backend/bench.h"

namespace weft::test {

struct Device {
  const char* name;
  DType storage;
};

inline void PrintTo(const Device& device, std::ostream* out) {
  *out << device.name << ' ' << to_string(device.storage);
}

class DeviceTest : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    const auto backend = create_backend(GetParam().name, GetParam().storage);
    const StatusCode code = backend.status().code();
    if (code == StatusCode::kUnsupported || code == StatusCode::kNotFound) GTEST_SKIP() << backend.status().message();
    bench.emplace(GetParam().name, GetParam().storage);
  }

  /// Equal but for a few roundings of numbers of this size (at least 1).
  void expect_close(const std::vector<double>& seen, const std::vector<double>& wanted) {
    ASSERT_EQ(seen.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double magnitude = std::max(1.0, std::abs(wanted[i]));
      EXPECT_NEAR(seen[i], wanted[i], tolerance(OpClass::kTranscendental, GetParam().storage, magnitude))
          << "element " << i;
    }
  }

  std::optional<Bench> bench;
};

inline std::string device_label(const testing::TestParamInfo<Device>& info) {
  return std::string(info.param.name) + "_" + std::string(to_string(info.param.storage));
}

#define WEFT_ON_EVERY_DEVICE(suite)                                                                                \
  INSTANTIATE_TEST_SUITE_P(Devices, suite,                                                                         \
                           testing::Values(Device{"cpu", DType::kFloat32}, Device{"cpu", DType::kFloat64},         \
                                           Device{"native_cpu", DType::kFloat32}, Device{"cuda", DType::kFloat32}, \
                                           Device{"metal", DType::kFloat32}),                                      \
                           device_label)

}  // namespace weft::test
