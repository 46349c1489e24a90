// Checking the order and the rates of a fit.
#include "src/session/fit_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/core/try.h"
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

Result<std::shared_ptr<const FitCalls>> FitCalls::make(const FitOptions& options, std::int64_t samples) {
  WEFT_RETURN_IF_ERROR(check_order(options.order, samples));
  auto made = std::make_shared<FitCalls>();
  made->order_ = options.order;
  if (options.order.empty()) {
    made->permuted_ = permutation(samples, options.seed, static_cast<std::uint64_t>(options.epoch));
    made->order_ = made->permuted_;
  }
  const std::int64_t count = std::ssize(made->order_);
  if (options.batch < 1 || options.batch > count)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("fit: batch is {}, wanted 1 to the {} samples in the order", options.batch, count));
  made->batch_ = options.batch;
  WEFT_RETURN_IF_ERROR(check_rates(options, made->count()));
  made->rates_ = options.rates;
  if (options.rates.empty())
    made->constant_.assign(static_cast<std::size_t>(std::min(made->count(), kMostOfRun)), options.lr);
  return std::shared_ptr<const FitCalls>(std::move(made));
}

}  // namespace weft
