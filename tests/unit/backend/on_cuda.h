// OnCuda: tests with a parameter that are skipped where no GPU is.
#pragma once

#include <gtest/gtest.h>

#include "src/backend/backend.h"
#include "weft/session.hpp"

namespace weft::test {

template <typename Parameter>
class OnCuda : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    const auto backend = create_backend("cuda", DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  }

  static MountOptions on(const char* device, Precision precision = Precision::kFloat32) {
    MountOptions options;
    options.device = device;
    options.precision = precision;
    return options;
  }
};

}  // namespace weft::test
