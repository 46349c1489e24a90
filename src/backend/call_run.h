// CallRun: many training calls of one program over samples that a device holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/backend/run_losses.h"

namespace weft {

/// Samples in the caller's memory, in the session's storage type: rows of inputs and of targets.
struct SampleRows {
  const void* inputs = nullptr;
  const void* targets = nullptr;
  std::int64_t count = 0;
  std::int64_t input_elements = 0, target_elements = 0;  // of a row
  std::size_t element_bytes = sizeof(float);
};

/// Samples as a device holds them; what it keeps besides is its own.
class HeldRows {
 public:
  explicit HeldRows(const SampleRows& rows) : rows_(rows) {}
  virtual ~HeldRows() = default;
  HeldRows(const HeldRows&) = delete;
  HeldRows& operator=(const HeldRows&) = delete;

  /// Where a device has copied the rows, the caller's memory may be gone by now: only the sizes hold.
  const SampleRows& rows() const { return rows_; }

 private:
  SampleRows rows_;
};

/// Call i trains on samples order[i * batch] to order[(i + 1) * batch - 1] at rates[i], at clock + i.
struct CallRun {
  const HeldRows* samples = nullptr;
  std::span<const std::int64_t> order;  // batch entries for each call, all within the samples
  std::span<const double> rates;        // one for each call
  std::uint64_t clock = 0;              // of the first call
  std::int64_t planned = 0;     // calls from the first to the last of the fit, which may have more runs; 0: count()
  RunLosses* losses = nullptr;  // in and out: those of the calls are added, in order

  std::int64_t count() const { return std::ssize(rates); }
  std::int64_t batch() const { return rates.empty() ? 0 : std::ssize(order) / std::ssize(rates); }
  std::span<const std::int64_t> batch_of(std::int64_t call) const {
    return order.subspan(static_cast<std::size_t>(call * batch()), static_cast<std::size_t>(batch()));
  }
};

}  // namespace weft
