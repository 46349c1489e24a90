// FitProgress: the same sums whatever the runs, and reports when they are due.
#include "src/session/fit_progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "weft/random.hpp"

namespace weft::test {
namespace {

/// Where reports came, and what they said.
struct Followed {
  std::vector<std::int64_t> at;
  std::vector<double> losses;
  FitResult result;

  /// A fit whose calls have these losses, in runs that end where reports are due or after `most` calls.
  Followed(FitOptions options, const std::vector<double>& calls, std::int64_t most) {
    options.report = [&](const FitReport& report) {
      at.push_back(report.calls);
      losses.push_back(report.loss);
      return true;
    };
    FitProgress progress(options, std::ssize(calls));
    while (!progress.done()) {
      RunLosses run = progress.losses();
      const std::int64_t count = std::min(progress.until_report(), most);
      EXPECT_GE(count, 1);
      for (std::int64_t call = progress.calls(); call < progress.calls() + count; ++call) {
        const double loss = calls[static_cast<std::size_t>(call)];
        run.add(loss, std::isfinite(loss));
      }
      progress.add(count, run);
    }
    result = progress.result();
  }
};

std::vector<double> losses(std::int64_t count) {
  std::vector<double> losses;
  Random random(1, 1);
  for (std::int64_t i = 0; i < count; ++i) losses.push_back(random.uniform(0.0, 1.0));
  for (std::size_t i = 5; i < losses.size(); i += 97) losses[i] = std::numeric_limits<double>::quiet_NaN();
  return losses;
}

TEST(FitProgress, GivesTheSameBitsWhateverTheRuns) {
  const std::vector<double> calls = losses(1000);
  double sum = 0.0;
  for (const double loss : calls)
    if (std::isfinite(loss)) sum += loss;
  for (const std::int64_t most : {1, 7, 1000}) {
    const Followed seen({.report_every = 300}, calls, most);
    EXPECT_EQ(seen.result.non_finite, 11);
    EXPECT_EQ(seen.result.calls, 1000);
    EXPECT_EQ(seen.result.loss, sum / 989.0);
    EXPECT_EQ(seen.losses, Followed({.report_every = 300}, calls, 1).losses);
  }
}

TEST(FitProgress, ReportsOfLossesSinceTheLast) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Followed seen({.report_every = 2}, {1.0, 3.0, infinite, 5.0, infinite, infinite, 8.0}, 7);
  EXPECT_EQ(seen.at, (std::vector<std::int64_t>{2, 4, 6, 7}));
  EXPECT_EQ(seen.losses, (std::vector<double>{2.0, 5.0, 0.0, 8.0}));
}

TEST(FitProgress, ReportsByTimeGrowApartAndComeTogetherAgain) {
  const std::vector<double> calls = losses(400);
  // Calls that take no time, and calls that take too long.
  EXPECT_EQ(Followed({.report_seconds = 1e9}, calls, 400).at, (std::vector<std::int64_t>{1, 5, 21, 85, 341, 400}));
  EXPECT_EQ(Followed({.report_seconds = 1e-12}, calls, 400).at.size(), 400U);
  EXPECT_EQ(Followed({.report_every = 200, .report_seconds = 1e-12}, calls, 400).at.size(), 2U);
}

TEST(FitProgress, WithoutAnIntervalOneRunIsAll) {
  EXPECT_EQ(FitProgress({}, 70).until_report(), 70);
  EXPECT_EQ(FitProgress({.report_every = 3}, 70).until_report(), 70);  // of nobody
  EXPECT_TRUE(Followed({}, losses(70), 70).at.empty());
}

}  // namespace
}  // namespace weft::test
