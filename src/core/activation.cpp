// The eight activations in double.
#include "weft/activation.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "src/core/names.h"

namespace weft {
namespace {

constexpr double kLeak = 0.01;
constexpr double kGeluCubic = 0.044715;
// sqrt(2/pi), Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
constexpr double kGeluScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
// Beyond this |z| the tanh of gelu is +-1 in double.
constexpr double kGeluFlat = 10.0;

constexpr std::array kNames{
    NameRow<Activation>{"linear", Activation::kLinear}, NameRow<Activation>{"relu", Activation::kRelu},
    NameRow<Activation>{"relu2", Activation::kRelu2},   NameRow<Activation>{"leakyrelu", Activation::kLeakyRelu},
    NameRow<Activation>{"silu", Activation::kSilu},     NameRow<Activation>{"gelu", Activation::kGelu},
    NameRow<Activation>{"tanh", Activation::kTanh},     NameRow<Activation>{"sigmoid", Activation::kSigmoid},
};
static_assert(kNames.size() == kActivationCount);

// 1/(1+exp(-z)) without overflow and without cancellation on either side.
double logistic(double z) {
  if (z >= 0.0) return 1.0 / (1.0 + std::exp(-z));
  const double e = std::exp(z);
  return e / (1.0 + e);
}

double gelu_tanh(double z) { return std::tanh(kGeluScale * (z + kGeluCubic * z * z * z)); }

double gelu_value(double z) {
  if (z > kGeluFlat) return z;
  if (z < -kGeluFlat) return 0.0;
  return 0.5 * z * (1.0 + gelu_tanh(z));
}

double gelu_slope(double z) {
  if (z > kGeluFlat) return 1.0;
  if (z < -kGeluFlat) return 0.0;
  const double t = gelu_tanh(z);
  const double inner = kGeluScale * (1.0 + 3.0 * kGeluCubic * z * z);
  return 0.5 * (1.0 + t) + 0.5 * z * (1.0 - t) * (1.0 + t) * inner;
}

}  // namespace

std::string_view to_string(Activation activation) {
  const auto i = static_cast<std::size_t>(activation);
  return i < kNames.size() ? kNames[i].spelling : "unknown activation";
}

Result<Activation> parse_activation(std::string_view name) {
  return parse_name<Activation>("activation", name, kNames);
}

// Comparisons are written so that NaN stays NaN.
double activate(Activation activation, double z) {
  switch (activation) {
    case Activation::kLinear: return z;
    case Activation::kRelu: return z <= 0.0 ? 0.0 : z;
    case Activation::kRelu2: return z <= 0.0 ? 0.0 : z * z;
    case Activation::kLeakyRelu: return z <= 0.0 ? kLeak * z : z;
    case Activation::kSilu: return z * logistic(z);
    case Activation::kGelu: return gelu_value(z);
    case Activation::kTanh: return std::tanh(z);
    case Activation::kSigmoid: return logistic(z);
  }
  return z;
}

double activate_derivative(Activation activation, double z) {
  switch (activation) {
    case Activation::kLinear: return 1.0;
    case Activation::kRelu: return z > 0.0 ? 1.0 : 0.0;
    case Activation::kRelu2: return z > 0.0 ? 2.0 * z : 0.0;
    case Activation::kLeakyRelu: return z > 0.0 ? 1.0 : kLeak;
    case Activation::kSilu: return logistic(z) * (1.0 + z * logistic(-z));
    case Activation::kGelu: return gelu_slope(z);
    case Activation::kTanh: {
      const double t = std::tanh(z);
      return (1.0 - t) * (1.0 + t);
    }
    case Activation::kSigmoid: return logistic(z) * logistic(-z);
  }
  return 1.0;
}

}  // namespace weft
