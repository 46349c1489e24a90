// Epoch by epoch.
#include "cli/epochs.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft::cli {
namespace {

constexpr double kBetweenReports = 0.02;  // seconds, about

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The samples still in the pipe count as training too.
Status drain(Session& session) {
  WEFT_ASSIGN_OR_RETURN([[maybe_unused]] const auto popped, session.flush());
  return {};
}

/// A call whose loss is not finite moves nothing: said where it happens, an error where no call of the epoch moved
/// anything.
Status check_finite(const FitResult& fit, std::int64_t epoch, double lr, Progress& progress) {
  if (fit.non_finite == 0) return {};
  const std::string message =
      fmt::format("epoch {}: the loss of {} of {} calls was not finite, they moved nothing; --lr {} may be too large",
                  epoch, fit.non_finite, fit.calls, lr);
  if (fit.non_finite + fit.filling >= fit.calls) return {StatusCode::kFailedPrecondition, message};
  progress.note(message);
  return {};
}

Result<std::optional<Score>> score(Session& session, const data::Samples& samples, int ticks) {
  if (samples.size() == 0) return std::optional<Score>();
  WEFT_ASSIGN_OR_RETURN(const EvaluateResult result, session.evaluate(samples, {.ticks = ticks}));
  Score score{.loss = result.loss, .accuracy = {}};
  if (!samples.labels.empty()) score.accuracy = result.accuracy;
  return std::optional(score);
}

/// A disk may be full for a while; the model is not given up for it.
void add_line(MetricsFile* file, const EpochMetrics& metrics, Progress& progress, bool& told) {
  if (file == nullptr) return;
  const Status status = file->add(metrics);
  if (!status.ok() && !told) progress.note(status.message() + " (training goes on)");
  told = !status.ok();
}

}  // namespace

Result<Outcome> run_epochs(Session& session, const EpochPlan& plan, const data::Split& parts, Progress& progress,
                           MetricsFile* metrics, const Interrupt& interrupt) {
  Outcome outcome;
  std::int64_t every = 1;  // calls between reports
  bool told = false;
  for (std::int64_t epoch = 0; epoch < plan.epochs && !outcome.interrupted; ++epoch) {
    progress.start_epoch(epoch + 1);
    const std::vector<double> rates = plan.schedule.rates(epoch * plan.calls, plan.calls);
    const auto report = [&](const FitReport& calls) {
      progress.report(calls);
      return !interrupt.asked();
    };
    const Stopwatch watch;
    WEFT_ASSIGN_OR_RETURN(const FitResult fit, session.fit(parts.train, {.mode = plan.mode,
                                                                         .rates = rates,
                                                                         .batch = plan.batch,
                                                                         .epoch = static_cast<int>(epoch),
                                                                         .seed = plan.seed,
                                                                         .ticks = plan.ticks,
                                                                         .report_every = every,
                                                                         .report = report}));
    // The pipe of a line mode stays filled from epoch to epoch.
    const bool last = epoch + 1 == plan.epochs;
    if (last && session.in_flight() > 0) WEFT_RETURN_IF_ERROR(drain(session));
    const double seconds = watch.seconds();
    outcome.seconds += seconds;
    if (fit.stopped) {
      outcome.calls = fit.calls;
      outcome.interrupted = true;
      break;
    }
    WEFT_RETURN_IF_ERROR(check_finite(fit, epoch + 1, plan.schedule.rate, progress));
    WEFT_ASSIGN_OR_RETURN(outcome.validation, score(session, parts.validation, plan.ticks));
    WEFT_ASSIGN_OR_RETURN(outcome.test, score(session, parts.test, plan.ticks));
    outcome.epochs = epoch + 1;
    const EpochMetrics line{.epoch = epoch + 1,
                            .calls = fit.calls,
                            .samples = fit.calls * plan.batch,
                            .dropped = fit.dropped,
                            .non_finite = fit.non_finite,
                            .lr = rates.back(),
                            .loss = fit.loss,
                            .validation = outcome.validation,
                            .test = outcome.test,
                            .seconds = seconds};
    progress.end_epoch(line);
    add_line(metrics, line, progress, told);
    every = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(kBetweenReports * static_cast<double>(fit.calls) / std::max(seconds, 1e-9)), 1,
        plan.calls);
    outcome.interrupted = !last && interrupt.asked();
  }
  if (outcome.interrupted) {
    if (session.in_flight() > 0) WEFT_RETURN_IF_ERROR(drain(session));
    outcome.validation = outcome.test = std::nullopt;  // the weights may have moved since
  }
  return outcome;
}

}  // namespace weft::cli
