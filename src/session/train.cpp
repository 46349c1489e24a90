// Training calls: checked, run, and the pipe moved on.
#include <fmt/format.h>
#include <cmath>

#include "src/core/try.h"
#include "src/program/cost.h"
#include "src/program/print.h"
#include "src/session/impl.h"
#include "src/session/state_names.h"

namespace weft {
namespace {

/// The first element that is NaN or infinite, -1 where there is none.
template <typename T>
std::int64_t first_non_finite(std::span<const T> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) return static_cast<std::int64_t>(i);
  return -1;
}

}  // namespace

Status Session::Impl::usable() const {
  if (closed_) return {StatusCode::kFailedPrecondition, "session: it is closed; mount the model again"};
  return fault_;
}

Status Session::Impl::check_tensor(const Tensor& tensor, std::string_view what) const {
  const auto refuse = [&](const std::string& text) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} {}", what, text));
  };
  if (const Status status = tensor.validate(); !status.ok()) return refuse(status.message());
  if (tensor.shape().rank() < 2)
    return refuse(fmt::format("is {}, wanted [batch, features]", to_string(tensor.shape())));
  if (tensor.dtype() != plan_->storage)
    return refuse(fmt::format("is {}, wanted the model's {}", to_string(tensor.dtype()), to_string(plan_->storage)));
  const std::int64_t at = tensor.dtype() == DType::kFloat32 ? first_non_finite(tensor.values<float>())
                                                            : first_non_finite(tensor.values<double>());
  if (at < 0) return {};
  const std::int64_t features = tensor.elements() / tensor.shape()[0];
  return refuse(
      fmt::format("sample {}, element {} is {}, wanted a finite number", at / features, at % features, tensor.at(at)));
}

Status Session::Impl::check_pipe(const Call& call) const {
  const bool fits = call.mode == pipe_.mode && call.input == pipe_.input && call.target == pipe_.target;
  if (pipe_.in_flight() == 0 || fits) return {};
  const std::string advice =
      fmt::format("{} samples of {} are in the pipe; call flush() first", pipe_.in_flight(), to_string(pipe_.mode));
  if (call.mode != pipe_.mode)
    return {StatusCode::kFailedPrecondition, fmt::format("train: mode {}, but {}", to_string(call.mode), advice)};
  return {StatusCode::kFailedPrecondition,
          fmt::format("train: input {}, target {}, the samples in the pipe have {}, {}; {}", to_string(call.input),
                      to_string(call.target), to_string(pipe_.input), to_string(pipe_.target), advice)};
}

Result<Call> Session::Impl::make_call(std::string_view place, const Shape& input, const Shape& target, Mode mode,
                                      int ticks, int alt_times) const {
  const auto wants_positive = [&](std::string_view option, int seen) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: {} is {}, wanted 1 or more", place, option, seen));
  };
  if (ticks < 1) return wants_positive("ticks", ticks);
  if (alt_times < 1) return wants_positive("alt_times", alt_times);
  if (alt_times > kMaxAltTimes)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: alt_times is {}, wanted at most {}", place, alt_times, kMaxAltTimes));
  // Options that the mode does not look at do not tell programs apart.
  Call call{.mode = mode, .input = input, .target = target};
  if (mode.schedule == Schedule::kMesh) call.ticks = ticks;
  call.alt_times = alt_times;
  if (mode.schedule == Schedule::kLine) call.oldest = pipe_.in_flight() == 0 ? 0 : pipe_.oldest + 1;
  return call;
}

Result<TrainResult> Session::Impl::train(const Tensor& input, const Tensor& target, const TrainOptions& options) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_ASSIGN_OR_RETURN(const Mode mode, options.mode.resolve());
  if (!std::isfinite(options.lr))
    return Status(StatusCode::kInvalidArgument, fmt::format("train: lr is {}, wanted a finite number", options.lr));
  WEFT_RETURN_IF_ERROR(check_tensor(input, "train: input"));
  WEFT_RETURN_IF_ERROR(check_tensor(target, "train: target"));
  WEFT_ASSIGN_OR_RETURN(const Call call,
                        make_call("train", input.shape(), target.shape(), mode, options.ticks, options.alt_times));
  WEFT_RETURN_IF_ERROR(check_pipe(call));
  return run_call(call, input.data(), target.data(), options.lr);
}

Result<const Program*> Session::Impl::program(const ProgramKey& key) {
  if (const Program* found = programs_.find(key)) return found;
  const BufferTable before = plan_->buffers;
  const Call& call = key.call;
  auto built =
      key.training ? build_training(*plan_, call) : build_inference(*plan_, call.input, call.target, call.ticks);
  if (!built.ok()) {
    plan_->buffers = before;
    const char* place = key.training ? "train: " : call.target.rank() > 0 ? "evaluate: " : "forward: ";
    return Status(built.status().code(), place + built.status().message());
  }
  WEFT_RETURN_IF_ERROR(reserve(before));
  return &programs_.add(key, *std::move(built));
}

Status Session::Impl::reserve(const BufferTable& before) {
  if (plan_->buffers.version() == reserved_version_) return {};
  // What a rule keeps outlives the growth of its buffer: the call that made it grow may yet change nothing.
  std::vector<std::pair<BufferId, std::vector<std::byte>>> kept;
  for (BufferId id = 0; id < before.size(); ++id) {
    if (before[id].role != Role::kRule || before[id].elements == plan_->buffers[id].elements) continue;
    auto& bytes = kept.emplace_back(id, buffer_bytes(before[id], plan_->storage)).second;
    WEFT_RETURN_IF_ERROR(backend_->read(id, 0, bytes.data(), bytes.size()));
  }
  if (const Status status = backend_->reserve(plan_->buffers); !status.ok()) {
    plan_->buffers = before;
    return status;
  }
  reserved_version_ = plan_->buffers.version();
  for (const auto& [id, bytes] : kept) WEFT_RETURN_IF_ERROR(backend_->write(id, 0, bytes.data(), bytes.size()));
  return {};
}

Status Session::Impl::run(const Program& program, const RunArguments& arguments) {
  return told(backend_->run(program, arguments));
}

Status Session::Impl::told(const Status& status) {
  // A device that lacks memory or an ability has not begun.
  const bool begun = status.code() != StatusCode::kResourceExhausted && status.code() != StatusCode::kUnsupported;
  if (!status.ok() && begun) fault_ = status;
  return status;
}

void Session::Impl::move_pipe(const Call& call, double lr, bool popped, std::int64_t calls) {
  pipe_ = {call.mode,
           call.input,
           call.target,
           lr,
           call.alt_times,
           call.youngest,
           call.oldest - (popped ? 1 : 0),
           pipe_.clock + static_cast<std::uint64_t>(calls)};
}

Result<TrainResult> Session::Impl::read_loss(const Program& program) {
  TrainResult result;
  std::uint64_t finite = 0;
  WEFT_RETURN_IF_ERROR(backend_->read(program.loss_value, 0, &result.loss, sizeof result.loss));
  WEFT_RETURN_IF_ERROR(backend_->read(program.loss_finite, 0, &finite, sizeof finite));
  result.finite = finite != 0;
  return result;
}

Result<TrainResult> Session::Impl::run_call(const Call& call, const void* input, const void* target, double lr) {
  WEFT_ASSIGN_OR_RETURN(const Program* program, this->program({true, call}));
  return run_program(*program, call, input, target, lr);
}

Result<TrainResult> Session::Impl::run_program(const Program& program, const Call& call, const void* input,
                                               const void* target, double lr) {
  const bool line = call.mode.schedule == Schedule::kLine;
  WEFT_RETURN_IF_ERROR(run(program, {lr, pipe_.clock, input, target}));
  const bool popped = program.loss_value != kNoBuffer;
  if (line) move_pipe(call, lr, popped, 1);
  if (!popped) return TrainResult{.loss = 0.0, .filling = true, .finite = true};
  return read_loss(program);
}

Result<std::vector<TrainResult>> Session::Impl::flush() {
  WEFT_RETURN_IF_ERROR(usable());
  std::vector<TrainResult> results;
  while (pipe_.in_flight() > 0) {
    const Call step{.mode = pipe_.mode,
                    .input = pipe_.input,
                    .target = pipe_.target,
                    .alt_times = pipe_.alt_times,
                    .youngest = pipe_.youngest + 1,
                    .oldest = pipe_.oldest + 1,
                    .inject = false};
    WEFT_ASSIGN_OR_RETURN(const TrainResult result, run_call(step, nullptr, nullptr, pipe_.lr));
    if (!result.filling) results.push_back(result);
  }
  return results;
}

Status Session::Impl::look_at_program(std::string_view place, const Shape& input, const Shape& target,
                                      const TrainOptions& options, const std::function<void(const Program&)>& look) {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_ASSIGN_OR_RETURN(const Mode mode, options.mode.resolve());
  for (const Shape* shape : {&input, &target}) {
    const char* what = shape == &input ? "input" : "target";
    if (const Status status = shape->validate(); !status.ok())
      return {status.code(), fmt::format("{}: {} {}", place, what, status.message())};
    if (shape->rank() < 2)
      return {StatusCode::kInvalidArgument,
              fmt::format("{}: {} is {}, wanted [batch, features]", place, what, to_string(*shape))};
  }
  WEFT_ASSIGN_OR_RETURN(Call call, make_call(place, input, target, mode, options.ticks, options.alt_times));
  // The line as it runs once full.
  if (mode.schedule == Schedule::kLine && !plan_->is_grid()) call.oldest = line_depth(*plan_) - 1;
  const BufferTable before = plan_->buffers;
  const auto built = build_training(*plan_, call);
  if (built.ok()) look(*built);
  plan_->buffers = before;  // nothing is run, so nothing needs memory
  if (!built.ok()) return {built.status().code(), fmt::format("{}: {}", place, built.status().message())};
  return {};
}

Result<std::string> Session::Impl::print_program(const Shape& input, const Shape& target, const TrainOptions& options) {
  std::string text;
  WEFT_RETURN_IF_ERROR(look_at_program("print_program", input, target, options,
                                       [&](const Program& program) { text = to_text(program, plan_->buffers); }));
  return text;
}

Result<CallCost> Session::Impl::cost(const Shape& input, const Shape& target, const TrainOptions& options) {
  CallCost cost;
  WEFT_RETURN_IF_ERROR(look_at_program("cost", input, target, options, [&](const Program& program) {
    cost = {product_operations(program), std::ssize(program.code)};
  }));
  return cost;
}

}  // namespace weft
