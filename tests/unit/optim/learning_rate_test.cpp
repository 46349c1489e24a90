// The learning rate over a training, against values worked out by hand.
#include "weft/learning_rate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LearningRate, IsConstantWithoutMore) {
  EXPECT_THAT((LearningRate{.rate = 0.25}.rates(7, 3)), ElementsAre(0.25, 0.25, 0.25));
  EXPECT_TRUE((LearningRate{.rate = 0.25}.rates(0, 0).empty()));
}

TEST(LearningRate, WarmsUpLinearlyToTheRateOfTheCallAfter) {
  const LearningRate rate{.rate = 0.8, .warmup = 3};
  EXPECT_THAT(rate.rates(0, 5), ElementsAre(0.2, 0.4, testing::DoubleEq(0.6), 0.8, 0.8));
}

TEST(LearningRate, FallsInStepsCountedFromTheEndOfTheWarmUp) {
  const LearningRate rate{.rate = 1.0, .decay = Decay::kStep, .warmup = 1, .period = 2, .factor = 0.5};
  EXPECT_THAT(rate.rates(0, 7), ElementsAre(0.5, 1.0, 1.0, 0.5, 0.5, 0.25, 0.25));
}

TEST(LearningRate, FallsAlongHalfACosineToTheLeastAtTheLastCall) {
  const LearningRate rate{.rate = 1.0, .decay = Decay::kCosine, .calls = 5, .least = 0.2};
  const auto rates = rate.rates(0, 6);
  EXPECT_DOUBLE_EQ(rates[0], 1.0);
  EXPECT_DOUBLE_EQ(rates[1], 0.2 + 0.8 * 0.5 * (1.0 + 0.70710678118654752));
  EXPECT_DOUBLE_EQ(rates[2], 0.6);
  EXPECT_DOUBLE_EQ(rates[4], 0.2);
  EXPECT_DOUBLE_EQ(rates[5], 0.2) << "beyond the last call";
}

TEST(LearningRate, CosineCountsFromTheEndOfTheWarmUp) {
  const LearningRate rate{.rate = 1.0, .decay = Decay::kCosine, .warmup = 1, .calls = 4};
  const auto rates = rate.rates(0, 4);
  EXPECT_DOUBLE_EQ(rates[0], 0.5);
  EXPECT_DOUBLE_EQ(rates[1], 1.0);
  EXPECT_DOUBLE_EQ(rates[2], 0.5);
  EXPECT_DOUBLE_EQ(rates[3], 0.0);
  // With one call left after the warm-up there is nothing to fall over.
  EXPECT_EQ((LearningRate{.rate = 1.0, .decay = Decay::kCosine, .warmup = 3, .calls = 4}.at(3)), 1.0);
}

TEST(LearningRate, RatesOfAnEpochAreThoseOfTheWholeTraining) {
  const LearningRate rate{.rate = 0.3, .decay = Decay::kCosine, .warmup = 4, .calls = 30, .least = 0.01};
  const auto whole = rate.rates(0, 30), part = rate.rates(10, 10);
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], whole[10 + i]);
}

TEST(LearningRate, RefusesWhatCannotBeUsed) {
  const auto message = [](const LearningRate& rate) { return rate.validate().message(); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(LearningRate{}.validate().ok());
  EXPECT_THAT(message({.rate = nan}), HasSubstr("rate is nan, wanted a finite number"));
  EXPECT_THAT(message({.rate = -1.0}), HasSubstr("rate is -1"));
  EXPECT_THAT(message({.warmup = -1}), HasSubstr("warmup is -1, wanted 0 or more calls"));
  EXPECT_THAT(message({.decay = Decay::kStep, .period = 0}), HasSubstr("period is 0, wanted 1 or more"));
  EXPECT_THAT(message({.decay = Decay::kStep, .factor = 0.0}), HasSubstr("factor is 0"));
  EXPECT_THAT(message({.decay = Decay::kStep, .factor = 2.0}), HasSubstr("factor is 2"));
  EXPECT_THAT(message({.decay = Decay::kCosine, .warmup = 4, .calls = 4}), HasSubstr("calls is 4, wanted more than"));
  EXPECT_THAT(message({.rate = 0.1, .decay = Decay::kCosine, .calls = 9, .least = 0.2}), HasSubstr("least is 0.2"));
  // What another decay needs is not looked at.
  EXPECT_TRUE((LearningRate{.decay = Decay::kConstant, .period = 0, .least = 9.0}.validate().ok()));
}

TEST(LearningRate, DecaysHaveNames) {
  for (const Decay decay : {Decay::kConstant, Decay::kStep, Decay::kCosine}) {
    EXPECT_EQ(parse_decay(to_string(decay)).value(), decay);
  }
  EXPECT_THAT(parse_decay("cosin").status().message(), HasSubstr("cosine"));
}

}  // namespace
}  // namespace weft
