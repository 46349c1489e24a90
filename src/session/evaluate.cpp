// Inference, and evaluation over whole data sets.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/session/impl.h"
#include "src/session/samples.h"

namespace weft {
namespace {

/// Rows whose largest value stands at the label. A row with a NaN is wrong.
std::int64_t count_right(const Tensor& output, std::span<const std::int32_t> labels) {
  const std::int64_t classes = output.shape().features();
  std::int64_t right = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::int64_t first = static_cast<std::int64_t>(row) * classes;
    std::int64_t best = 0;
    bool finite = true;
    for (std::int64_t c = 0; c < classes; ++c) {
      finite = finite && !std::isnan(output.at(first + c));
      if (output.at(first + c) > output.at(first + best)) best = c;
    }
    if (finite && best == labels[row]) ++right;
  }
  return right;
}

/// As many rows as `to` has, from row `first` on.
void copy_rows(const Tensor& from, std::int64_t first, Tensor& to) {
  const std::size_t row = from.bytes() / static_cast<std::size_t>(from.shape()[0]);
  std::memcpy(writable(to), static_cast<const std::byte*>(from.data()) + static_cast<std::size_t>(first) * row,
              to.bytes());
}

}  // namespace

Status Session::Impl::read_output(const Program& program, const Tensor& input, Tensor& output) {
  const auto passed_on = [&]<typename T>(std::span<const T> values) {
    output = Tensor(program.output_shape, std::vector<T>(values.begin(), values.end()));
    return Status();
  };
  // A grid's cells may pass the input on: it is not in the device's memory.
  if (program.output.buffer == BufferTable::kInput)
    return plan_->storage == DType::kFloat32 ? passed_on(input.values<float>()) : passed_on(input.values<double>());
  output = Tensor(program.output_shape, plan_->storage);
  return backend_->read(program.output.buffer, 0, writable(output), output.bytes());
}

Result<Tensor> Session::Impl::forward(const Tensor& input, const ForwardOptions& options) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_RETURN_IF_ERROR(check_tensor(input, "forward: input"));
  WEFT_ASSIGN_OR_RETURN(Call call, make_call("forward", input.shape(), {}, Mode{}, options.ticks, 1));
  call.ticks = options.ticks;
  WEFT_ASSIGN_OR_RETURN(const Program* program, this->program({false, call}));
  WEFT_RETURN_IF_ERROR(run(*program, {0.0, 0, input.data(), nullptr}));
  Tensor output;
  WEFT_RETURN_IF_ERROR(read_output(*program, input, output));
  return output;
}

Result<EvaluateResult> Session::Impl::evaluate(const data::Samples& samples, const EvaluateOptions& options) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_RETURN_IF_ERROR(check_samples(samples, "evaluate"));
  WEFT_RETURN_IF_ERROR(check_tensor(samples.inputs, "evaluate: inputs"));
  WEFT_RETURN_IF_ERROR(check_tensor(samples.targets, "evaluate: targets"));
  const std::int64_t count = samples.size();
  if (options.batch < 1)
    return Status(StatusCode::kInvalidArgument, fmt::format("evaluate: batch is {}, wanted 1 or more", options.batch));

  EvaluateResult result;
  Tensor input, target, output;
  std::int64_t right = 0;
  for (std::int64_t first = 0; first < count; first += options.batch) {
    const std::int64_t batch = std::min(options.batch, count - first);
    if (input.shape().rank() == 0 || input.shape()[0] != batch) {
      input = Tensor(samples.inputs.shape().with_batch(batch), plan_->storage);
      target = Tensor(samples.targets.shape().with_batch(batch), plan_->storage);
    }
    copy_rows(samples.inputs, first, input);
    copy_rows(samples.targets, first, target);
    WEFT_ASSIGN_OR_RETURN(Call call, make_call("evaluate", input.shape(), target.shape(), Mode{}, options.ticks, 1));
    call.ticks = options.ticks;
    WEFT_ASSIGN_OR_RETURN(const Program* program, this->program({false, call}));
    WEFT_RETURN_IF_ERROR(run(*program, {0.0, 0, input.data(), target.data()}));
    WEFT_ASSIGN_OR_RETURN(const TrainResult loss, read_loss(*program));
    result.loss += loss.loss * static_cast<double>(batch);
    if (samples.labels.empty()) continue;
    WEFT_RETURN_IF_ERROR(read_output(*program, input, output));
    if (output.shape().rows() == batch)
      right += count_right(
          output, std::span(samples.labels).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(batch)));
  }
  result.samples = count;
  result.loss /= static_cast<double>(count);
  result.accuracy = static_cast<double>(right) / static_cast<double>(count);
  return result;
}

}  // namespace weft
