// Whole data sets: an epoch of training calls, inference, evaluation.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "src/core/try.h"
#include "src/session/impl.h"
#include "weft/random.hpp"

namespace weft {
namespace {

Status check_order(std::span<const std::int64_t> order, std::int64_t samples) {
  const auto bad = std::find_if(order.begin(), order.end(), [&](std::int64_t i) { return i < 0 || i >= samples; });
  if (bad == order.end()) return {};
  return {StatusCode::kInvalidArgument,
          fmt::format("fit: order entry {} is {}, wanted 0 to {}", bad - order.begin(), *bad, samples - 1)};
}

Status check_samples(const data::Samples& samples, std::string_view place) {
  const auto refuse = [&](const std::string& text) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}", place, text));
  };
  const Shape& targets = samples.targets.shape();
  if (samples.size() < 1 || targets.rank() == 0 || targets[0] != samples.size())
    return refuse(fmt::format("inputs are {} and targets {}, wanted one target for each of 1 or more samples",
                              to_string(samples.inputs.shape()), to_string(targets)));
  if (samples.labels.empty()) return {};
  if (static_cast<std::int64_t>(samples.labels.size()) != samples.size())
    return refuse(fmt::format("{} labels for {} samples, wanted one each", samples.labels.size(), samples.size()));
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    if (samples.labels[i] < 0 || samples.labels[i] >= targets.features())
      return refuse(
          fmt::format("label of sample {} is {}, wanted 0 to {}", i, samples.labels[i], targets.features() - 1));
  }
  return {};
}

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

Status check_rates(const FitOptions& options, std::int64_t calls) {
  if (options.rates.empty()) {
    if (std::isfinite(options.lr)) return {};
    return {StatusCode::kInvalidArgument, fmt::format("fit: lr is {}, wanted a finite number", options.lr)};
  }
  if (std::ssize(options.rates) != calls)
    return {StatusCode::kInvalidArgument,
            fmt::format("fit: {} rates, wanted one for each of {} calls", options.rates.size(), calls)};
  const auto bad =
      std::find_if_not(options.rates.begin(), options.rates.end(), [](double r) { return std::isfinite(r); });
  if (bad == options.rates.end()) return {};
  return {StatusCode::kInvalidArgument,
          fmt::format("fit: rate {} is {}, wanted a finite number", bad - options.rates.begin(), *bad)};
}

/// A mean of losses.
class MeanLoss {
 public:
  void add(double loss) { sum_ += loss, ++count_; }
  double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0; }

 private:
  double sum_ = 0.0;
  std::int64_t count_ = 0;
};

/// Counts the calls of a fit, and tells the caller of them.
class FitProgress {
 public:
  FitProgress(const FitOptions& options, std::int64_t calls) : options_(options), of_(calls) {}

  void add(const TrainResult& step) {
    ++result_.calls;
    if (step.filling) {
      ++result_.filling;
    } else if (!step.finite) {
      ++result_.non_finite;
    } else {
      all_.add(step.loss);
      recent_.add(step.loss);
    }
    const bool due = options_.report_every > 0 && (result_.calls % options_.report_every == 0 || result_.calls == of_);
    if (!due || !options_.report) return;
    result_.stopped = !options_.report({result_.calls, of_, recent_.value()}) && result_.calls < of_;
    recent_ = {};
  }
  bool stopped() const { return result_.stopped; }
  FitResult result() const {
    FitResult result = result_;
    result.loss = all_.value();
    return result;
  }

 private:
  const FitOptions& options_;
  std::int64_t of_;
  FitResult result_;
  MeanLoss all_, recent_;
};

}  // namespace

void Session::Impl::gather(const Tensor& from, std::span<const std::int64_t> order, Tensor& to) {
  constexpr std::size_t kAhead = 8;  // rows: they lie anywhere, so the processor cannot foresee them
  const std::size_t row = from.bytes() / static_cast<std::size_t>(from.shape()[0]);
  const auto* source = static_cast<const std::byte*>(from.data());
  auto* into = static_cast<std::byte*>(writable(to));
  const auto at = [&](std::size_t i) { return source + static_cast<std::size_t>(order[i]) * row; };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) __builtin_prefetch(at(i + kAhead));
    std::memcpy(into, at(i), row);
    into += row;
  }
}

Result<FitResult> Session::Impl::fit(const data::Samples& samples, const FitOptions& options) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_ASSIGN_OR_RETURN(const Mode mode, options.mode.resolve());
  WEFT_RETURN_IF_ERROR(check_samples(samples, "fit"));
  WEFT_RETURN_IF_ERROR(check_tensor(samples.inputs, "fit: inputs"));
  WEFT_RETURN_IF_ERROR(check_tensor(samples.targets, "fit: targets"));
  WEFT_RETURN_IF_ERROR(check_order(options.order, samples.size()));
  std::vector<std::int64_t> permuted;
  if (options.order.empty())
    permuted = permutation(samples.size(), options.seed, static_cast<std::uint64_t>(options.epoch));
  const std::span<const std::int64_t> order =
      options.order.empty() ? std::span<const std::int64_t>(permuted) : options.order;
  const auto count = static_cast<std::int64_t>(order.size());
  if (options.batch < 1 || options.batch > count)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("fit: batch is {}, wanted 1 to the {} samples in the order", options.batch, count));
  const std::int64_t calls = count / options.batch;
  WEFT_RETURN_IF_ERROR(check_rates(options, calls));

  Tensor input(samples.inputs.shape().with_batch(options.batch), plan_->storage);
  Tensor target(samples.targets.shape().with_batch(options.batch), plan_->storage);
  FitProgress progress(options, calls);
  Call call;
  const Program* program = nullptr;
  for (std::int64_t i = 0; i < calls && !progress.stopped(); ++i) {
    const auto batch =
        order.subspan(static_cast<std::size_t>(i * options.batch), static_cast<std::size_t>(options.batch));
    gather(samples.inputs, batch, input);
    gather(samples.targets, batch, target);
    // Only the line's calls differ, as its pipe fills.
    if (i == 0 || mode.schedule == Schedule::kLine) {
      WEFT_ASSIGN_OR_RETURN(call,
                            make_call("fit", input.shape(), target.shape(), mode, options.ticks, options.alt_times));
      if (i == 0) WEFT_RETURN_IF_ERROR(check_pipe(call));
      WEFT_ASSIGN_OR_RETURN(program, this->program({true, call}));
    }
    const double lr = options.rates.empty() ? options.lr : options.rates[static_cast<std::size_t>(i)];
    WEFT_ASSIGN_OR_RETURN(const TrainResult step, run_program(*program, call, input.data(), target.data(), lr));
    progress.add(step);
  }
  FitResult result = progress.result();
  result.dropped = count % options.batch;
  return result;
}

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
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);

  EvaluateResult result;
  Tensor input, target, output;
  std::int64_t right = 0;
  for (std::int64_t first = 0; first < count; first += options.batch) {
    const std::int64_t batch = std::min(options.batch, count - first);
    if (input.shape().rank() == 0 || input.shape()[0] != batch) {
      input = Tensor(samples.inputs.shape().with_batch(batch), plan_->storage);
      target = Tensor(samples.targets.shape().with_batch(batch), plan_->storage);
    }
    const auto rows =
        std::span<const std::int64_t>(order).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(batch));
    gather(samples.inputs, rows, input);
    gather(samples.targets, rows, target);
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
