// The only place for tolerances: by class of operation, number type and number of terms summed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "weft/dtype.hpp"
#include "weft/precision.hpp"

namespace weft::test {

/// What kind of arithmetic made a number; decides how far two right answers may be apart.
enum class OpClass {
  kExact,           // copies, flags, counters: the same bits
  kElementwise,     // a few roundings per element
  kTranscendental,  // exp, tanh, log and what is built of them
  kSum,             // sums of K products
};

/// Calibrated once against the cpu device on the shapes of unit/backend/parity_test.cpp (largest shares seen: 0.25 of
/// the elementwise, 0.13 of the transcendental, 0.36 of the sums' allowance). Loosen only with a reason.
inline constexpr double kElementwiseUlps = 4.0;
inline constexpr double kTranscendentalUlps = 8.0;
inline constexpr double kSumFactor = 2.0;

inline double epsilon(DType dtype) {
  return dtype == DType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                  : static_cast<double>(std::numeric_limits<float>::epsilon());
}

/// The absolute difference allowed. `terms` is K of a sum (1 elsewhere). `magnitude` is how large the
/// result would be had nothing cancelled: |value| elementwise, for a sum the root of the sum of its squared terms.
inline double tolerance(OpClass op_class, DType dtype, double magnitude, std::int64_t terms = 1) {
  const double roots = std::sqrt(static_cast<double>(std::max<std::int64_t>(terms, 1)));
  switch (op_class) {
    case OpClass::kExact: return 0.0;
    case OpClass::kElementwise: return kElementwiseUlps * epsilon(dtype) * magnitude;
    case OpClass::kTranscendental: return kTranscendentalUlps * epsilon(dtype) * magnitude;
    case OpClass::kSum: return kSumFactor * epsilon(dtype) * roots * magnitude;
  }
  return 0.0;
}

/// Products of rounded factors: what is left of a factor's digits, as a share of it. Tensor cores cut tf32 factors off
/// after 10 bits of fraction; bfloat16 factors are rounded to the nearest of 7 bits. A sum of K terms whose errors are
/// independent is off by at most kRoundedSum times that share of the root of the sum of its squared terms.
inline double rounding(Precision precision) {
  switch (precision) {
    case Precision::kFloat32: return 0.0;
    case Precision::kTf32: return 1.0 / 1024.0;
    case Precision::kBfloat16: return 1.0 / 256.0;
  }
  return 0.0;
}
inline constexpr double kRoundedSum = 6.0;

/// A few calls of training with such products: losses relative to the loss, as a multiple of the rounding.
inline constexpr double kRoundedLoss = 1.0;

/// The golden vectors: losses relative to the loss, weights relative to the largest weight of the leaf.
inline constexpr double kGoldenLoss = 1e-5;
inline constexpr double kGoldenWeight = 1e-5;

/// Central differences in float64: the step h, and what truncation (h^2) and rounding (epsilon/h) leave of a slope
/// of 1.
inline constexpr double kDifferenceStep = 1e-5;
inline constexpr double kDifferenceSlope = 1e-8;

/// Two ways to the same float32 weights after a few calls, relative to the largest weight.
inline constexpr double kSameTraining = 2e-6;

/// |seen - wanted| as a share of what the golden data allow; at most 1 passes. Both not finite in the same
/// way, and a loss of exactly 0 (a line that fills), must agree exactly.
inline double golden_loss_share(double seen, double wanted) {
  if (seen == wanted || (std::isnan(seen) && std::isnan(wanted))) return 0.0;
  const double allowed = kGoldenLoss * std::abs(wanted);
  const double share = std::abs(seen - wanted) / allowed;
  return allowed > 0.0 && std::isfinite(share) ? share : std::numeric_limits<double>::infinity();
}

/// The worst weight's difference as a share of what is allowed; infinite where the sizes differ. A leaf of
/// zeros allows nothing.
template <typename Seen, typename Wanted>
double golden_weight_share(std::span<const Seen> seen, std::span<const Wanted> wanted) {
  if (seen.size() != wanted.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = std::abs(static_cast<double>(seen[i]) - static_cast<double>(wanted[i]));
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
    worst = std::max(worst, difference);
  }
  if (worst == 0.0) return 0.0;
  return largest > 0.0 ? worst / (kGoldenWeight * largest) : std::numeric_limits<double>::infinity();
}

}  // namespace weft::test
