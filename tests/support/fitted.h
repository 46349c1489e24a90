// Fitted: a small net trained through held rows on a device, and the comparison of two such.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {

/// The weights of each leaf within `factor` roundings of sums of `terms`, at the size of its largest.
inline void expect_weights(const std::vector<Numbers>& seen, const std::vector<Numbers>& wanted, double factor,
                           std::int64_t terms) {
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) {
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < wanted[leaf].size(); ++i) {
      largest = std::max(largest, std::abs(wanted[leaf][i]));
      worst = std::max(worst, std::abs(seen[leaf][i] - wanted[leaf][i]));
    }
    EXPECT_LE(worst, factor * tolerance(OpClass::kSum, DType::kFloat32, largest, terms)) << "leaf " << leaf;
  }
}

struct Fitted {
  static constexpr std::int64_t kBatch = 4, kSamples = 24;

  FitResult result;
  std::vector<Numbers> weights;

  /// Layers of 6 x 5 and 5 x 3. rows: of a sample.
  static TestModel net(Schedule schedule, std::int64_t rows = 1) {
    TestModel made = chain(schedule, {dense(6, 5, Activation::kTanh, {.bias = true}), dense(5, 3)});
    std::visit([](auto& root) { root.initialise({.seed = 3}).value(); }, made.root);
    if (rows > 1) made.input = Shape{1, rows, 6}, made.target = Shape{1, rows, 3};
    return made;
  }
  static data::Samples samples(const TestModel& model) {
    return {random_tensor(model.input, kSamples, 1), random_tensor(model.target, kSamples, 2), {}};
  }
  /// Which samples the calls train on.
  static std::vector<std::int64_t> order(std::int64_t calls) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < calls * kBatch; ++i) order.push_back(i * 7 % kSamples);
    return order;
  }
  /// Rates that differ from call to call.
  static std::vector<double> rates(std::int64_t calls) {
    std::vector<double> rates;
    for (std::int64_t i = 0; i < calls; ++i) rates.push_back(0.03 + 0.01 * static_cast<double>(i % 5));
    return rates;
  }

  /// `calls` calls in runs of `each`.
  static Fitted on(const char* device, const TestModel& model, const char* mode, std::int64_t calls, std::int64_t each,
                   const Optimizer& optimizer = {}) {
    Trainer trainer(model, {.device = device, .optimizer = optimizer});
    const data::Samples data = samples(model);
    const HeldSamples held = trainer.session().hold(data).value();
    const std::vector<std::int64_t> all = order(calls);
    const std::vector<double> all_rates = rates(calls);
    Fitted fitted{};
    for (std::int64_t at = 0; at < calls; at += each) {
      const auto first = static_cast<std::size_t>(at), count = static_cast<std::size_t>(std::min(each, calls - at));
      FitOptions options{.mode = mode, .batch = kBatch};
      options.rates = std::span(all_rates).subspan(first, count);
      options.order = std::span(all).subspan(first * kBatch, count * kBatch);
      options.ticks = model.ticks;
      fitted.result = trainer.session().fit(held, options).value();
    }
    fitted.weights = trainer.weights();
    return fitted;
  }

  /// The weights after `calls` calls in one fit, of which every so many are reported.
  static std::vector<Numbers> reported(const char* device, std::int64_t calls, std::int64_t every) {
    const TestModel model = net(Schedule::kStack);
    Trainer trainer(model, {.device = device});
    const std::vector<std::int64_t> all = order(calls);
    const auto report = [](const FitReport&) { return true; };
    trainer.session()
        .fit(samples(model), {.batch = kBatch, .order = all, .report_every = every, .report = report})
        .value();
    return trainer.weights();
  }

  /// The same but for `calls` times the rounding of one call.
  static void expect_same(const Fitted& seen, const Fitted& wanted, std::int64_t calls) {
    const double factor = static_cast<double>(calls);
    expect_weights(seen.weights, wanted.weights, factor, 6);
    EXPECT_NEAR(seen.result.loss, wanted.result.loss,
                factor * tolerance(OpClass::kSum, DType::kFloat32, wanted.result.loss, 6));
  }
};

}  // namespace weft::test
