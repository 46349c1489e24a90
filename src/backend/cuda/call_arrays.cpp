// Order and rates to the GPU, losses back.
#include "src/backend/cuda/call_arrays.h"

#include <algorithm>
#include <limits>

namespace weft::cuda {

Status CallArrays::check(const CallRun& calls) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t samples = calls.samples->rows().count;
  if (samples <= kMost && std::ssize(calls.order) <= kMost) return {};
  return {StatusCode::kUnsupported,
          fmt::format("cuda: {} samples and an order of {}, wanted at most 2^31-1", samples, calls.order.size())};
}

DeviceCalls CallArrays::sizes(const CallRun& calls) {
  const auto& samples = static_cast<const DeviceRows&>(*calls.samples);
  return {.inputs = samples.inputs(),
          .targets = samples.targets(),
          .input_elements = samples.rows().input_elements,
          .target_elements = samples.rows().target_elements,
          .order = nullptr,
          .rates = nullptr,
          .clock = calls.clock,
          .count = static_cast<std::int32_t>(calls.count()),
          .batch = static_cast<std::int32_t>(calls.batch()),
          .outcomes = nullptr};
}

Result<DeviceCalls> CallArrays::send(const CallRun& calls, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(check(calls));
  order_sent_.resize(calls.order.size());
  std::transform(calls.order.begin(), calls.order.end(), order_sent_.begin(),
                 [](std::int64_t sample) { return static_cast<std::int32_t>(sample); });
  rates_sent_.resize(calls.rates.size());
  std::transform(calls.rates.begin(), calls.rates.end(), rates_sent_.begin(),
                 [](double rate) { return static_cast<float>(rate); });
  WEFT_RETURN_IF_ERROR(copy_in(order_sent_, order_, "the order of a run's samples", stream));
  WEFT_RETURN_IF_ERROR(copy_in(rates_sent_, rates_, "the learning rates of a run", stream));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(calls.rates.size(), "the losses of a run"));
  DeviceCalls sent = sizes(calls);
  sent.order = order_.data(), sent.rates = rates_.data(), sent.outcomes = outcomes_.data();
  return sent;
}

Result<DeviceCalls> CallArrays::send_one(double rate, std::uint64_t clock, cudaStream_t stream) {
  rates_sent_.assign(1, static_cast<float>(rate));
  WEFT_RETURN_IF_ERROR(copy_in(rates_sent_, rates_, "the learning rate of a call", stream));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(1, "the loss of a call"));
  return DeviceCalls{.rates = rates_.data(), .clock = clock, .outcomes = outcomes_.data()};
}

Status CallArrays::collect(const CallRun& calls, cudaStream_t stream, std::string_view what) {
  outcomes_read_.resize(calls.losses.size());
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(outcomes_read_.data(), outcomes_.data(),
                                outcomes_read_.size() * sizeof(kernels::CallOutcome), cudaMemcpyDeviceToHost, stream),
                what));
  WEFT_RETURN_IF_ERROR(to_status(cudaStreamSynchronize(stream), what));
  std::transform(outcomes_read_.begin(), outcomes_read_.end(), calls.losses.begin(), to_loss);
  return {};
}

}  // namespace weft::cuda
