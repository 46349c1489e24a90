// Activations: known values, derivatives against differences, extremes.
#include "weft/activation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/tolerance.h"

namespace weft {
namespace {

constexpr std::array kAll{linear, relu, relu2, leakyrelu, silu, gelu, Activation::kTanh, sigmoid};

double allowed(double magnitude) { return test::tolerance(test::OpClass::kTranscendental, DType::kFloat64, magnitude); }

TEST(Activation, KnownValues) {
  EXPECT_EQ(activate(linear, -3.0), -3.0);
  EXPECT_EQ(activate(relu, -3.0), 0.0);
  EXPECT_EQ(activate(relu, 3.0), 3.0);
  EXPECT_EQ(activate(relu2, 3.0), 9.0);
  EXPECT_EQ(activate(relu2, -3.0), 0.0);
  EXPECT_EQ(activate(leakyrelu, -3.0), 0.01 * -3.0);
  // Evaluated with 30 digits elsewhere.
  EXPECT_NEAR(activate(silu, 1.0), 0.731058578630004879, allowed(1.0));
  EXPECT_NEAR(activate(sigmoid, -2.0), 0.119202922022117560, allowed(1.0));
  EXPECT_NEAR(activate(Activation::kTanh, 0.5), 0.462117157260009758, allowed(1.0));
  EXPECT_NEAR(activate(gelu, 1.0), 0.841191990608276, allowed(1.0));
  EXPECT_NEAR(activate(gelu, -1.0), -0.158808009391724, allowed(1.0));
}

TEST(Activation, AtZero) {
  EXPECT_EQ(activate_derivative(relu, 0.0), 0.0);
  EXPECT_EQ(activate_derivative(relu2, 0.0), 0.0);
  EXPECT_EQ(activate_derivative(leakyrelu, 0.0), 0.01);
  EXPECT_EQ(activate_derivative(linear, 0.0), 1.0);
  EXPECT_EQ(activate_derivative(silu, 0.0), 0.5);
  EXPECT_EQ(activate_derivative(gelu, 0.0), 0.5);
  EXPECT_EQ(activate_derivative(sigmoid, 0.0), 0.25);
  EXPECT_EQ(activate_derivative(Activation::kTanh, 0.0), 1.0);
}

TEST(Activation, DerivativesAgreeWithDifferences) {
  constexpr double kStep = 0x1p-17;
  for (Activation a : kAll) {
    for (double z : {-12.0, -9.5, -3.0, -0.7, -0.1, 0.1, 0.7, 3.0, 9.5, 12.0}) {
      const double slope = (activate(a, z + kStep) - activate(a, z - kStep)) / (2.0 * kStep);
      // The difference itself is off by about step^2 plus rounding/step.
      const double off = kStep * kStep * (1.0 + z * z) + allowed(std::abs(activate(a, z)) + 1.0) / kStep;
      EXPECT_NEAR(activate_derivative(a, z), slope, off) << to_string(a) << " at " << z;
    }
  }
}

TEST(Activation, LargeArgumentsGiveTheLimits) {
  for (double z : {50.0, 800.0, 1e10, 1e200, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(activate(sigmoid, z), 1.0);
    EXPECT_LE(activate(sigmoid, -z), std::exp(-50.0));
    EXPECT_GE(activate(sigmoid, -z), 0.0);
    EXPECT_EQ(activate(silu, z), z);
    EXPECT_LE(std::abs(activate(silu, -z)), 50.0 * std::exp(-50.0));
    EXPECT_EQ(activate(gelu, z), z);
    EXPECT_EQ(activate(gelu, -z), 0.0);
    EXPECT_EQ(activate_derivative(gelu, z), 1.0);
    EXPECT_EQ(activate_derivative(gelu, -z), 0.0);
    EXPECT_NEAR(activate_derivative(silu, z), 1.0, allowed(1.0));
    EXPECT_NEAR(activate_derivative(silu, -z), 0.0, 50.0 * std::exp(-50.0));
    EXPECT_GE(activate_derivative(sigmoid, z), 0.0);
    EXPECT_EQ(activate_derivative(Activation::kTanh, z), 0.0);
  }
}

TEST(Activation, NaNStaysNaN) {
  for (Activation a : kAll) EXPECT_TRUE(std::isnan(activate(a, std::nan("")))) << to_string(a);
}

}  // namespace
}  // namespace weft
