// Two devices side by side.
#include "src/verify/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "src/core/try.h"
#include "weft/random.hpp"
#include "weft/session.hpp"

namespace weft::verify {
namespace {

constexpr int kCalls = 23;  // past the 20 calls after which LinearCache refreshes
constexpr double kRate = 0.05;
constexpr std::uint64_t kSeed = 11;

/// What a device made of a model.
struct Trained {
  Model model;
  std::vector<double> losses;
};

Tensor random_input(const Shape& shape, Random& random) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
  return {shape, std::move(values)};
}

/// One-hot rows for cross-entropy, else uniform in +-0.8.
Tensor random_target(const Shape& shape, Loss loss, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()), 0.0F);
  const auto features = static_cast<std::uint64_t>(shape.features());
  if (loss == Loss::kCrossEntropy) {
    for (std::size_t row = 0; row < values.size(); row += features) values[row + random.below(features)] = 1.0F;
  } else {
    for (float& value : values) value = static_cast<float>(random.uniform(-0.8, 0.8));
  }
  return {shape, std::move(values)};
}

Result<Trained> train(const CompareModel& subject, Mode mode, const std::string& device) {
  Trained trained{subject.model, {}};
  WEFT_RETURN_IF_ERROR(std::visit([](auto& root) { return root.initialise({.seed = kSeed}); }, trained.model));
  // Biases start at zero; some values make their gradients tell.
  Random random(kSeed, 1);
  for (Dense* leaf : std::visit([](auto& root) { return leaves(root); }, trained.model)) {
    if (leaf->bias) leaf->bias = random_input({leaf->out}, random);
  }
  const MountOptions options{.device = device, .loss = subject.loss, .optimizer = sgd()};
  WEFT_ASSIGN_OR_RETURN(Session session, std::visit([&](auto& root) { return mount(root, options); }, trained.model));
  for (int call = 0; call < kCalls; ++call) {
    const Tensor input = random_input(subject.input_shape, random);
    const Tensor target = random_target(subject.target_shape, subject.loss, random);
    WEFT_ASSIGN_OR_RETURN(
        const TrainResult result,
        session.train(input, target, {.mode = mode, .lr = kRate, .ticks = subject.ticks, .alt_times = 2}));
    trained.losses.push_back(result.loss);
  }
  WEFT_RETURN_IF_ERROR(session.sync_to_host());
  WEFT_RETURN_IF_ERROR(session.close());
  return trained;
}

/// |got - want| / scale, infinite where either is not a number.
double difference(double got, double want, double scale) {
  const double error = std::abs(got - want) / (scale > 0.0 ? scale : 1.0);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double loss_difference(const Trained& got, const Trained& want) {
  double worst = 0.0;
  for (std::size_t call = 0; call < want.losses.size(); ++call) {
    worst = std::max(worst, difference(got.losses[call], want.losses[call], std::abs(want.losses[call])));
  }
  return worst;
}

double tensor_difference(const Tensor& got, const Tensor& want) {
  double scale = 0.0, worst = 0.0;
  for (std::int64_t i = 0; i < want.elements(); ++i) scale = std::max(scale, std::abs(want.at(i)));
  for (std::int64_t i = 0; i < want.elements(); ++i) worst = std::max(worst, difference(got.at(i), want.at(i), scale));
  return worst;
}

double weight_difference(const Trained& got, const Trained& want) {
  const auto found = [](const Model& model) {
    return std::visit([](const auto& root) { return leaves(root); }, model);
  };
  const auto got_leaves = found(got.model), want_leaves = found(want.model);
  double worst = 0.0;
  for (std::size_t leaf = 0; leaf < want_leaves.size(); ++leaf) {
    worst = std::max(worst, tensor_difference(got_leaves[leaf]->weight, want_leaves[leaf]->weight));
    if (want_leaves[leaf]->bias)
      worst = std::max(worst, tensor_difference(*got_leaves[leaf]->bias, *want_leaves[leaf]->bias));
  }
  return worst;
}

/// A stack for the stack and line schedules, a grid for the mesh, whose target propagation knows MSE only.
bool fits(const CompareModel& subject, Mode mode) {
  if (std::holds_alternative<Grid>(subject.model) != (mode.schedule == Schedule::kMesh)) return false;
  const bool target_propagation =
      mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
  return !target_propagation || subject.loss == Loss::kMse;
}

}  // namespace

CompareResult compare_devices(Mode mode, const std::string& device, const std::string& against) {
  CompareResult result;
  result.mode = mode;
  for (const CompareModel& subject : compare_models()) {
    if (!fits(subject, mode)) continue;
    ++result.models;
    const Result<Trained> got = train(subject, mode, device);
    const Result<Trained> want = train(subject, mode, against);
    if (!got.ok() || !want.ok()) {
      const Status& status = got.ok() ? want.status() : got.status();
      result.failures.push_back(
          fmt::format("{} on {}: {}", subject.name, got.ok() ? against : device, status.message()));
      continue;
    }
    const double loss = loss_difference(*got, *want), weight = weight_difference(*got, *want);
    result.loss_error = std::max(result.loss_error, loss);
    result.weight_error = std::max(result.weight_error, weight);
    if (loss <= kCompareTolerance && weight <= kCompareTolerance) continue;
    result.failures.push_back(
        fmt::format("{}: losses differ by {:.2g}, weights by {:.2g}", subject.name, loss, weight));
  }
  return result;
}

}  // namespace weft::verify
