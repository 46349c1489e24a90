// Order and rates in, losses out.
#include "src/backend/metal/call_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/backend/call_outcome.h"
#include "src/core/try.h"

namespace weft::metal {

Result<DeviceCalls> CallArrays::fill(const CallRun& calls, const Device& device) {
  const auto& samples = static_cast<const MetalRows&>(*calls.samples);
  if (samples.rows().count > std::numeric_limits<std::int32_t>::max())
    return Status{StatusCode::kUnsupported,
                  fmt::format("metal: {} samples, wanted at most 2^31-1", samples.rows().count)};
  WEFT_RETURN_IF_ERROR(order_.reserve(device, calls.order.size(), "the order of a run's samples"));
  WEFT_RETURN_IF_ERROR(rates_.reserve(device, calls.rates.size(), "the learning rates of a run"));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(device, calls.rates.size(), "the losses of a run"));
  std::transform(calls.order.begin(), calls.order.end(), order_.data(),
                 [](std::int64_t sample) { return static_cast<std::int32_t>(sample); });
  std::transform(calls.rates.begin(), calls.rates.end(), rates_.data(),
                 [](double rate) { return static_cast<float>(rate); });
  return DeviceCalls{.inputs = samples.inputs(),
                     .targets = samples.targets(),
                     .input_elements = samples.rows().input_elements,
                     .target_elements = samples.rows().target_elements,
                     .order = order_.slice(),
                     .rates = rates_.slice(),
                     .clock = calls.clock,
                     .count = calls.count(),
                     .batch = calls.batch(),
                     .planned = std::max(calls.planned, calls.count()),
                     .outcomes = outcomes_.slice()};
}

Result<DeviceCalls> CallArrays::fill_one(double rate, std::uint64_t clock, const Device& device) {
  WEFT_RETURN_IF_ERROR(rates_.reserve(device, 1, "the learning rate of a call"));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(device, 1, "the loss of a call"));
  rates_.data()[0] = static_cast<float>(rate);
  return DeviceCalls{.rates = rates_.slice(), .clock = clock, .outcomes = outcomes_.slice()};
}

void CallArrays::tell(const CallRun& calls) const {
  add({outcomes_.data(), static_cast<std::size_t>(calls.count())}, *calls.losses);
}

}  // namespace weft::metal
