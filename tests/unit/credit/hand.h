// Hand-computed cases: small stacks and grids with given numbers, on every CPU device and number type.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {

struct Place {
  const char* device;
  DType dtype;
};
inline void PrintTo(const Place& place, std::ostream* stream) {
  *stream << place.device << ' ' << to_string(place.dtype);
}

class HandTest : public testing::TestWithParam<Place> {
 protected:
  DType dtype() const { return GetParam().dtype; }

  void SetUp() override {
    Stack probe{layer(1, 1, {1.0})};
    const auto session = mount(probe, {.device = GetParam().device});
    if (!session.ok() && session.status().code() == StatusCode::kNotFound) GTEST_SKIP() << session.status().message();
  }

  Dense layer(std::int64_t in, std::int64_t out, const Numbers& weight, Activation activation = linear,
              const Numbers& bias = {}) const {
    DenseOptions options{.dtype = dtype(), .weight = tensor({out, in}, weight)};
    if (!bias.empty()) options.bias_values = tensor({out}, bias);
    return dense(in, out, activation, std::move(options));
  }
  Tensor tensor(const Shape& shape, const Numbers& values) const { return Tensor(shape, values).to(dtype()); }

  Trainer trainer(const TestModel& model, Loss loss = Loss::kMse, const Optimizer& optimizer = {}) const {
    return Trainer(model, {.device = GetParam().device, .loss = loss, .optimizer = optimizer});
  }
  /// A stack of layers.
  TestModel stack_of(std::vector<Op> ops) const { return chain(Schedule::kStack, std::move(ops)); }
  /// The same layers in a grid behind a disabled ingress.
  TestModel grid_of(std::vector<Op> ops) const { return chain(Schedule::kMesh, std::move(ops)); }

  void expect_weights(Trainer& trainer, const std::vector<Numbers>& wanted) const {
    const auto seen = trainer.weights();
    ASSERT_EQ(seen.size(), wanted.size());
    for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) {
      ASSERT_EQ(seen[leaf].size(), wanted[leaf].size());
      for (std::size_t i = 0; i < wanted[leaf].size(); ++i)
        EXPECT_NEAR(seen[leaf][i], wanted[leaf][i], allowed(wanted[leaf][i]))
            << "leaf " << leaf + 1 << " element " << i;
    }
  }
  double allowed(double wanted) const {
    return tolerance(OpClass::kTranscendental, dtype(), std::max(1.0, std::abs(wanted)));
  }
};

#define WEFT_BY_HAND(suite)                                                                         \
  class suite : public weft::test::HandTest {};                                                     \
  INSTANTIATE_TEST_SUITE_P(Places, suite,                                                           \
                           testing::Values(weft::test::Place{"cpu", weft::DType::kFloat32},         \
                                           weft::test::Place{"cpu", weft::DType::kFloat64},         \
                                           weft::test::Place{"native_cpu", weft::DType::kFloat32}), \
                           [](const testing::TestParamInfo<weft::test::Place>& info) {              \
                             return std::string(info.param.device) + "_" +                          \
                                    std::string(weft::to_string(info.param.dtype));                 \
                           })

}  // namespace weft::test
