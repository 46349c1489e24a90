// Session::Impl: the plan, the device, and what is in the pipe.
#pragma once

#include <functional>
#include <memory>
#include <variant>

#include "src/backend/backend.h"
#include "src/session/device_key.h"
#include "src/session/programs.h"
#include "weft/session.hpp"

namespace weft {

/// The most that alt_times may be: a program holds every round.
inline constexpr int kMaxAltTimes = 1000;

/// The memory of an owning tensor, whatever its dtype.
inline void* writable(Tensor& tensor) {
  return tensor.dtype() == DType::kFloat32 ? static_cast<void*>(tensor.mutable_values<float>().data())
                                           : static_cast<void*>(tensor.mutable_values<double>().data());
}

/// Samples of a line mode between calls. Positions are the last op passed; empty where oldest < youngest.
struct Pipe {
  Mode mode;
  Shape input, target;
  double lr = 0.0;
  int alt_times = 1;
  std::int64_t youngest = 0, oldest = -1;
  std::uint64_t clock = 0;  // calls and flush steps so far

  std::int64_t in_flight() const { return oldest - youngest + 1; }
};

class FitCalls;
struct FitRun;

class Session::Impl {
 public:
  using HostModel = std::variant<Stack*, Grid*>;

  Impl(HostModel model, std::unique_ptr<Plan> plan, DeviceKey device, std::unique_ptr<Backend> backend)
      : model_(model), plan_(std::move(plan)), device_(std::move(device)), backend_(std::move(backend)) {}

  // Calls (train.cpp).
  Result<TrainResult> train(const Tensor& input, const Tensor& target, const TrainOptions& options);
  Result<std::vector<TrainResult>> flush();
  Result<std::string> print_program(const Shape& input, const Shape& target, const TrainOptions& options);
  Result<CallCost> cost(const Shape& input, const Shape& target, const TrainOptions& options);

  // Over data sets (fit.cpp).
  Result<FitResult> fit(const data::Samples& samples, const FitOptions& options);
  Result<FitResult> fit(const HeldSamples& samples, const FitOptions& options);
  Result<HeldSamples> hold(const data::Samples& samples);
  Result<Tensor> forward(const Tensor& input, const ForwardOptions& options);
  Result<EvaluateResult> evaluate(const data::Samples& samples, const EvaluateOptions& options);

  // Weights and checkpoints (state.cpp).
  Status upload();  // the model's weights to the device
  Status sync_to_host();
  Result<State> save_state();
  Status restore_state(const State& state);
  Status reset();
  Status close();

  std::int64_t in_flight() const { return pipe_.in_flight(); }

  // A fit in steps, for what runs several sessions together. The options' spans outlive the fit.
  // calls: those of the options, where they are made already; null: they are made here.
  Result<FitRun> begin_fit(const HeldSamples& samples, const FitOptions& options,
                           std::shared_ptr<const FitCalls> calls);
  Status next_run(FitRun& fit);
  Status end_run(FitRun& fit, const Status& status);
  Backend& backend() { return *backend_; }
  const DeviceKey& device() const { return device_; }

 private:
  Status usable() const;
  Status check_tensor(const Tensor& tensor, std::string_view what) const;
  Status check_pipe(const Call& call) const;
  /// The call that `options` ask for; line positions as the pipe stands. Errors: kInvalidArgument naming the option.
  Result<Call> make_call(std::string_view place, const Shape& input, const Shape& target, Mode mode, int ticks,
                         int alt_times) const;

  /// The program for a key, built and given memory at first use.
  Result<const Program*> program(const ProgramKey& key);
  /// Makes the device's memory fit the plan's buffers; on failure the plan has `before` again.
  Status reserve(const BufferTable& before);

  /// Shows `look` the program that a training call would run, the line full. Nothing is run, so nothing gets memory.
  Status look_at_program(std::string_view place, const Shape& input, const Shape& target, const TrainOptions& options,
                         const std::function<void(const Program&)>& look);

  /// Runs a call whose tensors have been checked. Null pointers for a step of flush.
  Result<TrainResult> run_call(const Call& call, const void* input, const void* target, double lr);
  /// As run_call, where the program is at hand.
  Result<TrainResult> run_program(const Program& program, const Call& call, const void* input, const void* target,
                                  double lr);
  Status run(const Program& program, const RunArguments& arguments);
  /// What a device said of a run, kept where the session cannot go on after it.
  Status told(const Status& status);
  /// After `calls` calls of a line mode, each of which popped a sample or did not.
  void move_pipe(const Call& call, double lr, bool popped, std::int64_t calls);
  Result<TrainResult> read_loss(const Program& program);
  /// The output of the inference that has just run on `input`.
  Status read_output(const Program& program, const Tensor& input, Tensor& output);

  Status zero_state(BufferId buffer);
  std::vector<Dense*> model_leaves() const;
  /// Error where the model no longer has the leaves that were mounted.
  Status check_model() const;
  /// Visits each parameter with the model's tensor for it; the model must have passed check_model.
  Status for_each_parameter(const std::function<Status(const Parameter&, Tensor&)>& visit) const;

  HostModel model_;
  std::unique_ptr<Plan> plan_;
  DeviceKey device_;
  std::unique_ptr<Backend> backend_;
  Programs programs_;
  Pipe pipe_;
  std::uint64_t reserved_version_ = 0;
  Status fault_;
  bool closed_ = false;
};

}  // namespace weft
