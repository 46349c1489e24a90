// Order and rates to the GPU, losses back.
#include "src/backend/cuda/call_arrays.h"

#include <algorithm>
#include <limits>

#include "src/backend/call_outcome.h"
#include "src/backend/cuda/pieces.h"

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
          .planned = std::max(calls.planned, calls.count()),
          .outcomes = nullptr};
}

Status CallArrays::reserve(const CallRun& calls) {
  WEFT_RETURN_IF_ERROR(check(calls));
  WEFT_RETURN_IF_ERROR(order_.reserve(calls.order.size(), "the order of a run's samples"));
  WEFT_RETURN_IF_ERROR(rates_.reserve(calls.rates.size(), "the learning rates of a run"));
  return outcomes_.reserve(calls.rates.size(), "the losses of a run");
}

Result<DeviceCalls> CallArrays::send(const CallRun& calls, std::int64_t first, std::int64_t count,
                                     cudaStream_t stream) {
  DeviceCalls sent = sizes(calls);
  sent.order = order_.data(), sent.rates = rates_.data(), sent.outcomes = outcomes_.data();
  const auto part = [&](auto all, std::int64_t each) {
    return all.subspan(static_cast<std::size_t>(first * each), static_cast<std::size_t>(count * each));
  };
  const std::int64_t batch = calls.batch();
  WEFT_RETURN_IF_ERROR(
      upload_.send(part(calls.order, batch), order_.data() + first * batch, "the order of a run's samples", stream));
  WEFT_RETURN_IF_ERROR(
      upload_.send(part(calls.rates, 1), rates_.data() + first, "the learning rates of a run", stream));
  sent = sent.after(first);
  sent.count = static_cast<std::int32_t>(count);
  return sent;
}

Result<DeviceCalls> CallArrays::send_one(double rate, std::uint64_t clock, cudaStream_t stream) {
  rate_sent_.assign(1, static_cast<float>(rate));
  WEFT_RETURN_IF_ERROR(copy_in(rate_sent_, rates_, "the learning rate of a call", stream));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(1, "the loss of a call"));
  return DeviceCalls{.rates = rates_.data(), .clock = clock, .outcomes = outcomes_.data()};
}

Status CallArrays::run(const CallRun& calls, Way& way, cudaStream_t stream, std::string_view what) {
  constexpr std::int64_t kFew = 1024;  // losses that are read sooner than added up there
  WEFT_RETURN_IF_ERROR(reserve(calls));
  return calls.count() <= kFew ? run_few(calls, way, stream, what) : run_many(calls, way, stream, what);
}

Status CallArrays::run_few(const CallRun& calls, Way& way, cudaStream_t stream, std::string_view what) {
  WEFT_ASSIGN_OR_RETURN(const DeviceCalls sent, send(calls, 0, calls.count(), stream));
  WEFT_RETURN_IF_ERROR(way.run(sent));
  outcomes_read_.resize(calls.rates.size());
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(outcomes_read_.data(), outcomes_.data(),
                                outcomes_read_.size() * sizeof(kernels::CallOutcome), cudaMemcpyDeviceToHost, stream),
                what));
  WEFT_RETURN_IF_ERROR(to_status(cudaStreamSynchronize(stream), what));
  add(outcomes_read_, *calls.losses);
  return {};
}

Status CallArrays::run_many(const CallRun& calls, Way& way, cudaStream_t stream, std::string_view what) {
  WEFT_RETURN_IF_ERROR(aside_.open());
  WEFT_RETURN_IF_ERROR(sent_.open());
  WEFT_RETURN_IF_ERROR(sums_.begin({{outcomes_.data(), calls.count(), *calls.losses}}));
  std::int64_t first = 0;
  for (const std::int32_t count : pieces_of(static_cast<std::int32_t>(calls.count()))) {
    WEFT_ASSIGN_OR_RETURN(const DeviceCalls sent, send(calls, first, count, aside_.get()));
    WEFT_RETURN_IF_ERROR(sent_.order(aside_.get(), stream));
    WEFT_RETURN_IF_ERROR(way.run(sent));
    WEFT_RETURN_IF_ERROR(sums_.add(count, stream));
    first += count;
  }
  WEFT_ASSIGN_OR_RETURN(const auto runs, sums_.finish(what));
  *calls.losses = runs.front().losses;
  return {};
}

}  // namespace weft::cuda
