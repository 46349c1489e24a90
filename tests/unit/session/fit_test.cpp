// fit: the calls that it makes, their rates, what it reports, and where it stops.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/models.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

constexpr std::int64_t kSamples = 11, kBatch = 2, kCalls = 5;

class Fit : public testing::Test {
 protected:
  Fit() {
    samples_.inputs = random_tensor(model_.input, kSamples, 1);
    samples_.targets = random_tensor(model_.target, kSamples, 2);
  }
  /// The rows of batch `call` of epoch 0 of seed 1.
  Tensor batch(const Tensor& from, std::int64_t call) const {
    const auto order = permutation(kSamples, 1, 0);
    const auto width = from.shape().features();
    std::vector<float> values;
    for (std::int64_t row = call * kBatch; row < (call + 1) * kBatch; ++row) {
      const auto* first = from.values<float>().data() + order[static_cast<std::size_t>(row)] * width;
      values.insert(values.end(), first, first + width);
    }
    return Tensor(from.shape().with_batch(kBatch), std::move(values));
  }
  std::string refusal(const FitOptions& options) {
    Trainer trainer(model_);
    const auto result = trainer.session().fit(samples_, options);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : result.status().message();
  }

  TestModel model_ = random_stack(3);
  data::Samples samples_;
};

TEST_F(Fit, IsTheCallsOfItsOrderEachAtItsRate) {
  const std::vector<double> rates{0.1, 0.05, 0.2, 0.0, 0.3};
  for (const char* device : {"cpu", "native_cpu"}) {
    Trainer fitted(model_, {.device = device}), called(model_, {.device = device});
    const auto result = fitted.session().fit(samples_, {.rates = rates, .batch = kBatch}).value();
    double sum = 0.0;
    for (std::int64_t call = 0; call < kCalls; ++call) {
      sum += called
                 .train(Mode{}, batch(samples_.inputs, call), batch(samples_.targets, call),
                        rates[static_cast<std::size_t>(call)])
                 .loss;
    }
    EXPECT_EQ(fitted.weights(), called.weights()) << device;
    EXPECT_DOUBLE_EQ(result.loss, sum / kCalls);
    EXPECT_EQ(result.calls, kCalls);
    EXPECT_EQ(result.dropped, 1);
    EXPECT_FALSE(result.stopped);
  }
}

TEST_F(Fit, ReportsAtTheIntervalAndAtTheEnd) {
  Trainer trainer(model_);
  std::vector<std::int64_t> calls;
  double sum = 0.0;
  const auto report = [&](const FitReport& report) {
    calls.push_back(report.calls);
    EXPECT_EQ(report.of, kCalls);
    sum += report.loss * (report.calls == kCalls ? 1 : 2);  // means of 2, 2 and 1 calls
    return true;
  };
  const auto result =
      trainer.session().fit(samples_, {.lr = 0.1, .batch = kBatch, .report_every = 2, .report = report}).value();
  EXPECT_EQ(calls, (std::vector<std::int64_t>{2, 4, 5}));
  EXPECT_NEAR(sum / kCalls, result.loss, 1e-12);
}

TEST_F(Fit, IsTheSameWithReportsByTime) {
  Trainer told(model_), untold(model_);
  int reports = 0;
  const auto report = [&](const FitReport&) { return ++reports > 0; };
  const auto seen = told.session().fit(samples_, {.batch = kBatch, .report_seconds = 1e-12, .report = report}).value();
  EXPECT_EQ(seen.loss, untold.session().fit(samples_, {.batch = kBatch}).value().loss);
  EXPECT_EQ(told.weights(), untold.weights());
  EXPECT_EQ(reports, kCalls);
}

TEST_F(Fit, StopsAfterTheCallThatTheReportRefuses) {
  Trainer stopped(model_), whole(model_);
  const auto result =
      stopped.session()
          .fit(samples_,
               {.lr = 0.1, .batch = kBatch, .report_every = 1, .report = [](const auto& r) { return r.calls < 3; }})
          .value();
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.calls, 3);
  const auto order = permutation(kSamples, 1, 0);
  whole.session().fit(samples_, {.lr = 0.1, .batch = kBatch, .order = std::span(order).first(6)}).value();
  EXPECT_EQ(stopped.weights(), whole.weights());
  // Another fit goes on from there.
  EXPECT_TRUE(stopped.session().fit(samples_, {.lr = 0.1, .batch = kBatch, .epoch = 1}).ok());
}

TEST_F(Fit, ThatRefusesAtTheLastCallHasNotStoppedEarly) {
  Trainer trainer(model_);
  const FitOptions options{.batch = kBatch, .report_every = kCalls, .report = [](const auto&) { return false; }};
  EXPECT_FALSE(trainer.session().fit(samples_, options).value().stopped);
}

TEST_F(Fit, SaysWhichRateCannotBeUsed) {
  const std::vector<double> few{0.1, 0.1}, bad{0.1, 0.1, std::numeric_limits<double>::infinity(), 0.1, 0.1};
  EXPECT_EQ(refusal({.rates = few, .batch = kBatch}), "fit: 2 rates, wanted one for each of 5 calls");
  EXPECT_EQ(refusal({.rates = bad, .batch = kBatch}), "fit: rate 2 is inf, wanted a finite number");
  EXPECT_EQ(refusal({.lr = -std::numeric_limits<double>::infinity(), .batch = kBatch}),
            "fit: lr is -inf, wanted a finite number");
}

TEST_F(Fit, OfHeldSamplesIsThatOfTheSamples) {
  for (const char* mode : {"NormalBP", "StepTween"}) {
    for (const char* device : {"cpu", "native_cpu"}) {
      Trainer held(model_, {.device = device}), given(model_, {.device = device});
      const HeldSamples samples = held.session().hold(samples_).value();
      for (int epoch = 0; epoch < 2; ++epoch) {
        const FitOptions options{.mode = mode, .lr = 0.1, .batch = kBatch, .epoch = epoch};
        EXPECT_EQ(held.session().fit(samples, options).value().loss,
                  given.session().fit(samples_, options).value().loss);
      }
      EXPECT_EQ(held.weights(), given.weights()) << mode << " on " << device;
    }
  }
}

TEST_F(Fit, RefusesSamplesOnAnotherDevice) {
  Trainer one(model_, {.device = "cpu"}), other(model_, {.device = "native_cpu"});
  const HeldSamples samples = one.session().hold(samples_).value();
  const auto result = other.session().fit(samples, {.batch = kBatch});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(),
            "fit: the samples are held on cpu 0 (float32), wanted on native_cpu 0 (float32)");
}

}  // namespace
}  // namespace weft::test
