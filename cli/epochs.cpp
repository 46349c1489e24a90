// Epoch by epoch.
#include "cli/epochs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/model/leaf_tensors.h"

namespace weft::cli {
namespace {

constexpr double kBetweenReports = 0.02;  // seconds

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What the calls of an epoch came to, with those that drained the pipe.
struct Calls {
  std::int64_t made = 0;                  // of whole batches that went in
  std::int64_t done = 0, non_finite = 0;  // whose loss was taken; of which it was not finite
  double losses = 0.0;                    // sum of those that were

  void add(const FitResult& fit) {
    made = fit.calls;
    done = fit.calls - fit.filling;
    non_finite = fit.non_finite;
    losses = fit.loss * static_cast<double>(done - non_finite);
  }
  void add(const TrainResult& popped) {
    ++done;
    if (popped.finite) {
      losses += popped.loss;
    } else {
      ++non_finite;
    }
  }
  std::optional<double> loss() const {
    return done > non_finite ? std::optional(losses / static_cast<double>(done - non_finite)) : std::nullopt;
  }
};

/// "nan in 'leaf.1.weight'", or nothing where all weights are finite.
std::string first_not_finite(const Model& model) {
  const auto all = std::visit([](const auto& root) { return leaves(root); }, model);
  for (const auto& entry : leaf_tensors(all)) {
    for (std::int64_t i = 0; i < entry.tensor->elements(); ++i) {
      const double value = entry.tensor->at(i);
      if (!std::isfinite(value)) return fmt::format("{} in '{}'", loss_text(value), entry.name);
    }
  }
  return {};
}

/// The samples still in the pipe count as training too.
Status drain(Session& session, Calls& calls) {
  if (session.in_flight() == 0) return {};
  WEFT_ASSIGN_OR_RETURN(const auto popped, session.flush());
  for (const TrainResult& call : popped) calls.add(call);
  return {};
}

Status ruined(std::string_view when, std::string_view what, const EpochPlan& plan) {
  return {StatusCode::kFailedPrecondition,
          fmt::format("{}: {}, wanted finite numbers; {}{}", when, what, plan.cause, plan.kept)};
}

/// Copies the weights into the model and looks at all of them.
Status check_weights(Session& session, const Model& model, std::string_view when, const EpochPlan& plan) {
  WEFT_RETURN_IF_ERROR(session.sync_to_host());
  const std::string bad = first_not_finite(model);
  return bad.empty() ? Status() : ruined(when, bad + " of the trained weights", plan);
}

/// A call whose loss is not finite moves nothing: said where it happens, an error where no call of the epoch moved
/// anything, or where one before has ruined the weights.
Status check_calls(Session& session, const Model& model, const Calls& calls, std::int64_t epoch, const EpochPlan& plan,
                   Progress& progress) {
  if (calls.non_finite == 0) return {};
  const std::string when = fmt::format("epoch {}", epoch);
  WEFT_RETURN_IF_ERROR(check_weights(session, model, when, plan));
  const std::string message = fmt::format("{}: the loss of {} of {} calls was not finite, they moved nothing; {}", when,
                                          calls.non_finite, calls.done, plan.cause);
  if (calls.non_finite == calls.done) return {StatusCode::kFailedPrecondition, message + plan.kept};
  progress.note(message);
  return {};
}

/// The loss of a batch of the training part: weights may be finite and what they give not.
Status check_outputs(Session& session, const data::Samples& train, std::string_view when, const EpochPlan& plan) {
  const auto first_rows = [&](const Tensor& all) {
    const Shape shape = all.shape().with_batch(std::min(plan.batch, train.size()));
    const auto count = static_cast<std::size_t>(shape.elements());
    return all.dtype() == DType::kFloat64 ? Tensor::view(shape, all.values<double>().first(count))
                                          : Tensor::view(shape, all.values<float>().first(count));
  };
  const data::Samples samples{first_rows(train.inputs), first_rows(train.targets), {}};
  WEFT_ASSIGN_OR_RETURN(const EvaluateResult result, session.evaluate(samples, {.ticks = plan.ticks}));
  if (std::isfinite(result.loss)) return {};
  return ruined(when, fmt::format("the loss of training samples is {}", loss_text(result.loss)), plan);
}

Status check_score(const std::optional<Score>& score, std::string_view part, const EpochPlan& plan) {
  if (!score || std::isfinite(score->loss)) return {};
  return ruined("after the last epoch", fmt::format("the {} loss is {}", part, loss_text(score->loss)), plan);
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

Result<Outcome> run_epochs(Session& session, const Model& model, const EpochPlan& plan, const data::Split& parts,
                           Progress& progress, MetricsFile* metrics, const Interrupt& interrupt) {
  Outcome outcome;
  bool told = false;
  WEFT_ASSIGN_OR_RETURN(const HeldSamples train, session.hold(parts.train));
  for (std::int64_t epoch = 0; epoch < plan.epochs && !outcome.interrupted; ++epoch) {
    progress.start_epoch(epoch + 1);
    const std::vector<double> rates = plan.schedule.rates(epoch * plan.calls, plan.calls);
    const auto report = [&](const FitReport& calls) {
      progress.report(calls);
      return !interrupt.asked();
    };
    const Stopwatch watch;
    WEFT_ASSIGN_OR_RETURN(const FitResult fit, session.fit(train, {.mode = plan.mode,
                                                                   .rates = rates,
                                                                   .batch = plan.batch,
                                                                   .epoch = static_cast<int>(epoch),
                                                                   .seed = plan.seed,
                                                                   .ticks = plan.ticks,
                                                                   .report_seconds = kBetweenReports,
                                                                   .report = report}));
    // The pipe of a line mode stays filled from epoch to epoch.
    const bool last = epoch + 1 == plan.epochs;
    Calls calls;
    calls.add(fit);
    if (last) WEFT_RETURN_IF_ERROR(drain(session, calls));
    const double seconds = watch.seconds();
    outcome.seconds += seconds;
    if (calls.loss()) outcome.loss = calls.loss();
    if (fit.stopped) {
      outcome.calls = fit.calls;
      outcome.interrupted = true;
      break;
    }
    WEFT_RETURN_IF_ERROR(check_calls(session, model, calls, epoch + 1, plan, progress));
    WEFT_ASSIGN_OR_RETURN(outcome.validation, score(session, parts.validation, plan.ticks));
    WEFT_ASSIGN_OR_RETURN(outcome.test, score(session, parts.test, plan.ticks));
    outcome.epochs = epoch + 1;
    const EpochMetrics line{.epoch = epoch + 1,
                            .calls = calls.made,
                            .samples = calls.done * plan.batch,
                            .dropped = fit.dropped,
                            .non_finite = calls.non_finite,
                            .lr = rates.back(),
                            .loss = calls.loss(),
                            .validation = outcome.validation,
                            .test = outcome.test,
                            .seconds = seconds};
    progress.end_epoch(line);
    add_line(metrics, line, progress, told);
    outcome.interrupted = !last && interrupt.asked();
  }
  if (outcome.interrupted) {
    Calls ignored;
    WEFT_RETURN_IF_ERROR(drain(session, ignored));
    outcome.validation = outcome.test = std::nullopt;  // the weights may have moved since
  }
  const std::string when = outcome.interrupted ? "interrupted" : "after the last epoch";
  WEFT_RETURN_IF_ERROR(check_weights(session, model, when, plan));
  WEFT_RETURN_IF_ERROR(check_outputs(session, parts.train, when, plan));
  WEFT_RETURN_IF_ERROR(check_score(outcome.validation, "validation", plan));
  WEFT_RETURN_IF_ERROR(check_score(outcome.test, "test", plan));
  return outcome;
}

}  // namespace weft::cli
