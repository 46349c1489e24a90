// Training on whole data sets: an epoch as runs of calls.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "src/core/try.h"
#include "src/session/fit_run.h"
#include "src/session/impl.h"
#include "src/session/samples.h"
#include "weft/random.hpp"

namespace weft {
namespace {

// Both look at all entries at once, for orders are long: a bit gathers whether any is bad, and which one is looked for
// only then.
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

Status check_order(std::span<const std::int64_t> order, std::int64_t samples) {
  std::uint64_t outside = 0;  // negative: the entry, or what lies between it and the last sample
  for (const std::int64_t i : order)
    outside |=
        static_cast<std::uint64_t>(i) | (static_cast<std::uint64_t>(samples - 1) - static_cast<std::uint64_t>(i));
  if ((outside & kSign) == 0) return {};
  const auto bad = std::find_if(order.begin(), order.end(), [&](std::int64_t i) { return i < 0 || i >= samples; });
  return {StatusCode::kInvalidArgument,
          fmt::format("fit: order entry {} is {}, wanted 0 to {}", bad - order.begin(), *bad, samples - 1)};
}

Status check_rates(const FitOptions& options, std::int64_t calls) {
  if (options.rates.empty()) {
    if (std::isfinite(options.lr)) return {};
    return {StatusCode::kInvalidArgument, fmt::format("fit: lr is {}, wanted a finite number", options.lr)};
  }
  if (std::ssize(options.rates) != calls)
    return {StatusCode::kInvalidArgument,
            fmt::format("fit: {} rates, wanted one for each of {} calls", options.rates.size(), calls)};
  std::uint64_t infinite = 0;  // an exponent of nothing but ones, counted up
  for (const double rate : options.rates)
    infinite |= (std::bit_cast<std::uint64_t>(rate) & ~kSign) + (std::uint64_t{1} << 52);
  if ((infinite & kSign) == 0) return {};
  const auto bad =
      std::find_if_not(options.rates.begin(), options.rates.end(), [](double r) { return std::isfinite(r); });
  return {StatusCode::kInvalidArgument,
          fmt::format("fit: rate {} is {}, wanted a finite number", bad - options.rates.begin(), *bad)};
}

}  // namespace

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

Result<FitRun> Session::Impl::begin_fit(const HeldSamples& samples, const FitOptions& options) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_ASSIGN_OR_RETURN(const Mode mode, options.mode.resolve());
  const HeldSamples::Impl* held = samples.impl();
  if (held == nullptr) return Status(StatusCode::kInvalidArgument, "fit: the held samples were moved from");
  if (!(held->device == device_))
    return Status(StatusCode::kInvalidArgument, fmt::format("fit: the samples are held on {}, wanted on {}",
                                                            to_string(held->device), to_string(device_)));
  const std::int64_t total = held->rows->rows().count;
  WEFT_RETURN_IF_ERROR(check_order(options.order, total));
  std::vector<std::int64_t> permuted;
  if (options.order.empty()) permuted = permutation(total, options.seed, static_cast<std::uint64_t>(options.epoch));
  const std::span<const std::int64_t> order =
      options.order.empty() ? std::span<const std::int64_t>(permuted) : options.order;
  const auto count = static_cast<std::int64_t>(order.size());
  if (options.batch < 1 || options.batch > count)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("fit: batch is {}, wanted 1 to the {} samples in the order", options.batch, count));
  const std::int64_t calls = count / options.batch;
  WEFT_RETURN_IF_ERROR(check_rates(options, calls));

  FitRun fit{.progress = FitProgress(options, calls),
             .mode = mode,
             .ticks = options.ticks,
             .alt_times = options.alt_times,
             .input = held->input.with_batch(options.batch),
             .target = held->target.with_batch(options.batch),
             .batch = options.batch,
             .dropped = count % options.batch,
             .permuted = std::move(permuted),
             .order = order,
             .constant = {},
             .rates = options.rates,
             .losses = std::move(losses_),
             .call = {},
             .program = nullptr,
             .calls = {}};
  fit.calls.samples = held->rows.get();
  const auto most = static_cast<std::size_t>(std::min(calls, FitRun::kMostCalls));
  fit.losses.resize(most);
  if (options.rates.empty()) fit.constant.assign(most, options.lr);
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
  const std::int64_t count = filling ? 1 : std::min<std::int64_t>(fit.progress.until_report(), std::ssize(fit.losses));
  const auto calls = static_cast<std::size_t>(count), at = static_cast<std::size_t>(first);
  const auto batch = static_cast<std::size_t>(fit.batch);
  fit.calls.order = fit.order.subspan(at * batch, calls * batch);
  fit.calls.rates =
      fit.rates.empty() ? std::span<const double>(fit.constant).first(calls) : fit.rates.subspan(at, calls);
  fit.calls.clock = pipe_.clock;
  fit.calls.losses = std::span(fit.losses).first(calls);
  return {};
}

Status Session::Impl::end_run(FitRun& fit, const Status& status) {
  WEFT_RETURN_IF_ERROR(told(status));
  const bool filling = fit.program->loss_value == kNoBuffer;
  if (fit.mode.schedule == Schedule::kLine) move_pipe(fit.call, fit.calls.rates.back(), !filling, fit.calls.count());
  for (const CallLoss& call : fit.calls.losses)
    fit.progress.add({.loss = call.loss, .filling = filling, .finite = call.finite});
  if (fit.progress.done()) losses_ = std::move(fit.losses);
  return {};
}

Result<FitResult> Session::Impl::fit(const HeldSamples& samples, const FitOptions& options) {
  WEFT_ASSIGN_OR_RETURN(FitRun fit, begin_fit(samples, options));
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
