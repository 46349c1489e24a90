// Order and rates to the GPU, losses back.
#include "src/backend/cuda/call_arrays.h"

#include <algorithm>
#include <limits>

namespace weft::cuda {
namespace {

template <typename T>
Status copy_in(const std::vector<T>& from, DeviceArray<T>& to, std::string_view what, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(to.reserve(from.size(), what));
  return to_status(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
                   what);
}

}  // namespace

Result<DeviceCalls> CallArrays::send(const CallRun& calls, cudaStream_t stream) {
  const auto& samples = static_cast<const DeviceRows&>(*calls.samples);
  if (samples.rows().count > std::numeric_limits<std::int32_t>::max() ||
      std::ssize(calls.order) > std::numeric_limits<std::int32_t>::max())
    return Status{StatusCode::kUnsupported,
                  fmt::format("cuda: {} samples, wanted at most 2^31-1", samples.rows().count)};
  order_sent_.resize(calls.order.size());
  std::transform(calls.order.begin(), calls.order.end(), order_sent_.begin(),
                 [](std::int64_t sample) { return static_cast<std::int32_t>(sample); });
  rates_sent_.resize(calls.rates.size());
  std::transform(calls.rates.begin(), calls.rates.end(), rates_sent_.begin(),
                 [](double rate) { return static_cast<float>(rate); });
  WEFT_RETURN_IF_ERROR(copy_in(order_sent_, order_, "the order of a run's samples", stream));
  WEFT_RETURN_IF_ERROR(copy_in(rates_sent_, rates_, "the learning rates of a run", stream));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(calls.rates.size(), "the losses of a run"));
  return DeviceCalls{.inputs = samples.inputs(),
                     .targets = samples.targets(),
                     .input_elements = samples.rows().input_elements,
                     .target_elements = samples.rows().target_elements,
                     .order = order_.data(),
                     .rates = rates_.data(),
                     .clock = calls.clock,
                     .count = static_cast<std::int32_t>(calls.count()),
                     .batch = static_cast<std::int32_t>(calls.batch()),
                     .outcomes = outcomes_.data()};
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
      to_status(cudaMemcpyAsync(outcomes_read_.data(), outcomes_.data(), outcomes_read_.size() * sizeof(Outcome),
                                cudaMemcpyDeviceToHost, stream),
                what));
  WEFT_RETURN_IF_ERROR(to_status(cudaStreamSynchronize(stream), what));
  std::transform(outcomes_read_.begin(), outcomes_read_.end(), calls.losses.begin(), [](const Outcome& outcome) {
    return CallLoss{static_cast<double>(outcome.loss), outcome.finite != 0};
  });
  return {};
}

}  // namespace weft::cuda
