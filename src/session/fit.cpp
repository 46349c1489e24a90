// Training on whole data sets: an epoch as runs of calls.
#include <fmt/format.h>

#include <algorithm>

#include "src/core/try.h"
#include "src/session/fit_run.h"
#include "src/session/impl.h"
#include "src/session/samples.h"

namespace weft {
Result<HeldSamples> Session::Impl::hold(const data::Samples& samples) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_RETURN_IF_ERROR(check_samples(samples, "fit"));
  WEFT_RETURN_IF_ERROR(check_tensor(samples.inputs, "fit: inputs"));
  WEFT_RETURN_IF_ERROR(check_tensor(samples.targets, "fit: targets"));
  const std::int64_t count = samples.size();
  WEFT_ASSIGN_OR_RETURN(auto rows, backend_->hold({.inputs = samples.inputs.data(),
                                                   .targets = samples.targets.data(),
                                                   .count = count,
                                                   .input_elements = samples.inputs.elements() / count,
                                                   .target_elements = samples.targets.elements() / count,
                                                   .element_bytes = element_size(plan_->storage)}));
  return HeldSamples(std::make_shared<const HeldSamples::Impl>(
      HeldSamples::Impl{device_, std::move(rows), samples.inputs.shape(), samples.targets.shape()}));
}

Result<FitRun> Session::Impl::begin_fit(const HeldSamples& samples, const FitOptions& options,
                                        std::shared_ptr<const FitCalls> calls) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_ASSIGN_OR_RETURN(const Mode mode, options.mode.resolve());
  const HeldSamples::Impl* held = samples.impl();
  if (held == nullptr) return Status(StatusCode::kInvalidArgument, "fit: the held samples were moved from");
  if (!(held->device == device_))
    return Status(StatusCode::kInvalidArgument, fmt::format("fit: the samples are held on {}, wanted on {}",
                                                            to_string(held->device), to_string(device_)));
  if (calls == nullptr) {
    WEFT_ASSIGN_OR_RETURN(calls, FitCalls::make(options, held->rows->rows().count));
  }
  FitRun fit{.progress = FitProgress(options, calls->count()),
             .mode = mode,
             .ticks = options.ticks,
             .alt_times = options.alt_times,
             .input = held->input.with_batch(options.batch),
             .target = held->target.with_batch(options.batch),
             .all = std::move(calls),
             .call = {},
             .program = nullptr,
             .calls = {},
             .losses = {}};
  fit.calls.samples = held->rows.get();
  return fit;
}

Status Session::Impl::next_run(FitRun& fit) {
  const std::int64_t first = fit.progress.calls();
  // Only the line's calls differ, as its pipe fills.
  if (first == 0 || fit.mode.schedule == Schedule::kLine) {
    WEFT_ASSIGN_OR_RETURN(fit.call, make_call("fit", fit.input, fit.target, fit.mode, fit.ticks, fit.alt_times));
    if (first == 0) WEFT_RETURN_IF_ERROR(check_pipe(fit.call));
    WEFT_ASSIGN_OR_RETURN(fit.program, program({true, fit.call}));
  }
  // A call that pops a sample leaves the line as it found it.
  const bool filling = fit.program->loss_value == kNoBuffer;
  const std::int64_t count = filling ? 1 : std::min(fit.progress.until_report(), FitCalls::kMostOfRun);
  fit.calls.order = fit.all->order(first, count);
  fit.calls.rates = fit.all->rates(first, count);
  fit.calls.clock = pipe_.clock;
  fit.calls.planned = fit.progress.left();
  fit.losses = fit.progress.losses();
  fit.calls.losses = &fit.losses;
  return {};
}

Status Session::Impl::end_run(FitRun& fit, const Status& status) {
  WEFT_RETURN_IF_ERROR(told(status));
  const bool filling = fit.program->loss_value == kNoBuffer;
  if (fit.mode.schedule == Schedule::kLine) move_pipe(fit.call, fit.calls.rates.back(), !filling, fit.calls.count());
  if (filling) {
    fit.progress.add_filling(fit.calls.count());
  } else {
    fit.progress.add(fit.calls.count(), fit.losses);
  }
  return {};
}

Result<FitResult> Session::Impl::fit(const HeldSamples& samples, const FitOptions& options) {
  WEFT_ASSIGN_OR_RETURN(FitRun fit, begin_fit(samples, options, nullptr));
  while (!fit.progress.done()) {
    WEFT_RETURN_IF_ERROR(next_run(fit));
    WEFT_RETURN_IF_ERROR(end_run(fit, backend_->run_calls(*fit.program, fit.calls)));
  }
  return fit.result();
}

Result<FitResult> Session::Impl::fit(const data::Samples& samples, const FitOptions& options) {
  WEFT_ASSIGN_OR_RETURN(const HeldSamples held, hold(samples));
  return fit(held, options);
}

}  // namespace weft
