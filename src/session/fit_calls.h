// FitCalls: the order and the rates of a fit's calls, checked. Members of a fleet can share them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/session.hpp"

namespace weft {

class FitCalls {
 public:
  /// Bounds the memory that a device needs for a run of calls, and how long it is on its own.
  static constexpr std::int64_t kMostOfRun = 1 << 16;

  /// Of a fit on so many samples; what the options refer to outlives it. Errors: kInvalidArgument.
  static Result<std::shared_ptr<const FitCalls>> make(const FitOptions& options, std::int64_t samples);

  std::int64_t count() const { return std::ssize(order_) / batch_; }
  std::int64_t dropped() const { return std::ssize(order_) % batch_; }  // samples short of a batch
  std::int64_t batch() const { return batch_; }

  /// Of the calls [first, first + count), at most kMostOfRun.
  std::span<const std::int64_t> order(std::int64_t first, std::int64_t count) const {
    return order_.subspan(static_cast<std::size_t>(first * batch_), static_cast<std::size_t>(count * batch_));
  }
  std::span<const double> rates(std::int64_t first, std::int64_t count) const {
    const auto calls = static_cast<std::size_t>(count);
    return rates_.empty() ? std::span(constant_).first(calls) : rates_.subspan(static_cast<std::size_t>(first), calls);
  }

 private:
  std::int64_t batch_ = 1;
  std::vector<std::int64_t> permuted_;  // the order, where none was given
  std::span<const std::int64_t> order_;
  std::vector<double> constant_;   // the rates of a run, where one serves all calls
  std::span<const double> rates_;  // of all calls; empty: constant_
};

}  // namespace weft
