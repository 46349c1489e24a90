// The public face of a session, and mounting.
#include <fmt/format.h>

#include "src/core/try.h"
#include "src/session/impl.h"

namespace weft {

std::string to_string(const DeviceKey& device) {
  return fmt::format("{} {} ({})", device.name, device.index, to_string(device.storage));
}

Result<Mode> ModeName::resolve() const {
  if (const Mode* mode = std::get_if<Mode>(&mode_)) {
    if (mode->schedule <= Schedule::kMesh && static_cast<int>(mode->rule) < kRuleCount) return *mode;
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("mode is schedule number {} and rule number {}, wanted 0 to 2 and 0 to {}",
                              static_cast<int>(mode->schedule), static_cast<int>(mode->rule), kRuleCount - 1));
  }
  return parse_mode(std::get<std::string>(mode_));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Status Session::usable() const {
  if (impl_) return {};
  return {StatusCode::kFailedPrecondition, "session: it was moved from; use the session it was moved to"};
}

// Every call below goes to the implementation, where there is one.
#define WEFT_FORWARD(call)     \
  if (!impl_) return usable(); \
  return impl_->call

Result<TrainResult> Session::train(const Tensor& input, const Tensor& target, const TrainOptions& options) {
  WEFT_FORWARD(train(input, target, options));
}
Result<FitResult> Session::fit(const data::Samples& samples, const FitOptions& options) {
  WEFT_FORWARD(fit(samples, options));
}
Result<FitResult> Session::fit(const HeldSamples& samples, const FitOptions& options) {
  WEFT_FORWARD(fit(samples, options));
}
Result<HeldSamples> Session::hold(const data::Samples& samples) { WEFT_FORWARD(hold(samples)); }
Result<std::vector<TrainResult>> Session::flush() { WEFT_FORWARD(flush()); }
Result<Tensor> Session::forward(const Tensor& input, const ForwardOptions& options) {
  WEFT_FORWARD(forward(input, options));
}
Result<EvaluateResult> Session::evaluate(const data::Samples& samples, const EvaluateOptions& options) {
  WEFT_FORWARD(evaluate(samples, options));
}
Status Session::sync_to_host() { WEFT_FORWARD(sync_to_host()); }
Result<State> Session::save_state() { WEFT_FORWARD(save_state()); }
Status Session::restore_state(const State& state) { WEFT_FORWARD(restore_state(state)); }
Status Session::reset() { WEFT_FORWARD(reset()); }
Status Session::close() { return impl_ ? impl_->close() : Status(); }
std::int64_t Session::in_flight() const { return impl_ ? impl_->in_flight() : 0; }
Result<std::string> Session::print_program(const Shape& input, const Shape& target, const TrainOptions& options) {
  WEFT_FORWARD(print_program(input, target, options));
}
Result<CallCost> Session::cost(const Shape& input, const Shape& target, const TrainOptions& options) {
  WEFT_FORWARD(cost(input, target, options));
}
#undef WEFT_FORWARD

namespace {

BackendOptions backend_options(const Plan& plan, const MountOptions& options) {
  BackendOptions wanted(plan.storage, options.threads);
  wanted.precision = options.precision;
  wanted.index = options.index;
  return wanted;
}

template <typename Model>
Result<Session> mount_model(Model& model, const MountOptions& options) {
  WEFT_ASSIGN_OR_RETURN(auto plan, make_plan(model, options.loss, options.optimizer));
  WEFT_ASSIGN_OR_RETURN(auto backend, create_backend(options.device, backend_options(*plan, options)));
  DeviceKey device{options.device, options.index, plan->storage};
  auto impl = std::make_unique<Session::Impl>(&model, std::move(plan), std::move(device), std::move(backend));
  WEFT_RETURN_IF_ERROR(impl->upload());
  return Session(std::move(impl));
}

}  // namespace

Result<Session> mount(Stack& model, const MountOptions& options) { return mount_model(model, options); }
Result<Session> mount(Grid& model, const MountOptions& options) { return mount_model(model, options); }

}  // namespace weft
