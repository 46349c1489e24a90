// Session: a model mounted on a device, trained call by call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "weft/data.hpp"
#include "weft/grid.hpp"
#include "weft/loss.hpp"
#include "weft/mode.hpp"
#include "weft/op.hpp"
#include "weft/optimizer.hpp"
#include "weft/precision.hpp"
#include "weft/state.hpp"

namespace weft {

struct MountOptions {
  std::string device = "native_cpu";
  Loss loss = Loss::kMse;
  Optimizer optimizer = {};
  int threads = 0;  // native_cpu: worker threads, 0 for the physical cores; any number gives the same bits
  Precision precision = Precision::kFloat32;  // cuda: how factors of products may be rounded
  int index = 0;                              // cuda: which of the machine's GPUs
};

/// A mode, or the name of one (parsed at the call).
class ModeName {
 public:
  ModeName(Mode mode) : mode_(mode) {}                      // NOLINT(google-explicit-constructor)
  ModeName(const char* name) : mode_(std::string(name)) {}  // NOLINT(google-explicit-constructor)
  ModeName(std::string name) : mode_(std::move(name)) {}    // NOLINT(google-explicit-constructor)
  Result<Mode> resolve() const;

 private:
  std::variant<Mode, std::string> mode_;
};

struct TrainOptions {
  ModeName mode = Mode{};
  double lr = 0.01;
  int ticks = 4;      // mesh modes: clock ticks per call
  int alt_times = 1;  // Alt rules: repetitions
};

struct TrainResult {
  double loss = 0.0;     // taken before the update (Alt: of the last gap); 0 while filling
  bool filling = false;  // a line call that popped no sample
  bool finite = true;    // false: the loss was NaN or infinite and nothing was updated (Alt: by that round)
};

/// What one training call does.
struct CallCost {
  double operations = 0.0;        // floating-point operations of its matrix products: 2 m n k each
  std::int64_t instructions = 0;  // of its program
};

/// What fit tells on its way.
struct FitReport {
  std::int64_t calls = 0;  // training calls made so far
  std::int64_t of = 0;     // calls of the whole fit
  double loss = 0.0;       // mean over the calls since the last report that returned a finite loss; 0 where none did
};

struct FitOptions {
  ModeName mode = Mode{};
  double lr = 0.01;
  std::span<const double> rates = {};  // the learning rate of each call instead of lr
  std::int64_t batch = 64;
  int epoch = 0;  // names the order: permutation(n, seed, epoch)
  std::uint64_t seed = 1;
  int ticks = 4;
  int alt_times = 1;
  std::span<const std::int64_t> order = {};           // given order of sample numbers instead of the permutation
  std::int64_t report_every = 0;                      // calls between reports, 0: none; the last call always reports
  double report_seconds = 0.0;                        // about so many between reports, where report_every is 0
  std::function<bool(const FitReport&)> report = {};  // false: fit stops after this call
};

struct FitResult {
  double loss = 0.0;            // mean over the calls that returned a loss
  std::int64_t calls = 0;       // training calls made
  std::int64_t filling = 0;     // of which fill calls
  std::int64_t non_finite = 0;  // of which refused for a loss that was not finite
  std::int64_t dropped = 0;     // samples of the short last batch, not trained on
  bool stopped = false;         // the report asked to stop before the last call
};

struct EvaluateOptions {
  std::int64_t batch = 256;
  int ticks = 4;
};

struct EvaluateResult {
  double loss = 0.0;
  double accuracy = 0.0;  // share of rows whose largest output is the label's; 0 without labels
  std::int64_t samples = 0;
};

struct ForwardOptions {
  int ticks = 4;
};

class HeldSamples;

/// A model mounted on a device. Movable, not copyable; one thread at a time (different sessions may
/// run in different threads). The model outlives the session; its weights stay untouched until
/// sync_to_host. After a device fault every call returns that fault.
class Session {
 public:
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  // closes

  /// One training call. input [batch, ...], target as the output. The batch size may change between
  /// calls except with samples in the pipe.
  /// Errors: kInvalidArgument (shapes, dtype, non-finite input, lr, ticks; mesh mode on a stack or the
  /// reverse, saying what to mount), kFailedPrecondition (closed; samples of another mode or batch
  /// size in the pipe, naming flush). Nothing has changed after an error.
  Result<TrainResult> train(const Tensor& input, const Tensor& target, const TrainOptions& options);

  /// An epoch: a training call per whole batch of `samples`, in order. The pipe of a line mode is not flushed.
  Result<FitResult> fit(const data::Samples& samples, const FitOptions& options);

  /// Checks samples and takes them to the device, once for many epochs. They must outlive what is returned, since a
  /// CPU reads them where they are. Errors: as fit; kResourceExhausted.
  Result<HeldSamples> hold(const data::Samples& samples);

  /// As fit of the samples that were held. Any session may hold them that is on the same device with the same storage.
  /// Errors: kInvalidArgument where they are on another device.
  Result<FitResult> fit(const HeldSamples& samples, const FitOptions& options);

  /// Drains the pipe of the line schedule, training on each popped sample; one result per popped sample.
  Result<std::vector<TrainResult>> flush();

  /// Inference. Does not disturb samples in the pipe.
  Result<Tensor> forward(const Tensor& input, const ForwardOptions& options = {});

  /// Mean loss and accuracy over `samples`, the short last batch included.
  Result<EvaluateResult> evaluate(const data::Samples& samples, const EvaluateOptions& options = {});

  /// Copies the weights back into the model that was mounted.
  Status sync_to_host();

  /// Everything that training depends on: weights, optimizer, rule and pipe state.
  Result<State> save_state();
  /// Errors: kInvalidArgument naming the tensor that is missing, unknown or of another shape; then nothing has changed.
  Status restore_state(const State& state);

  /// Back to just mounted: the model's weights, no optimizer, rule or pipe state.
  Status reset();

  /// Releases the device. Idempotent; later calls return kFailedPrecondition.
  Status close();

  /// Samples in the pipe of the line schedule.
  std::int64_t in_flight() const;

  /// The program that a training call of this shape would run, as text.
  Result<std::string> print_program(const Shape& input, const Shape& target, const TrainOptions& options);

  /// What that program costs; instructions under a condition count as run, the line as full. Errors: as print_program.
  Result<CallCost> cost(const Shape& input, const Shape& target, const TrainOptions& options);

 private:
  friend class Fleet;
  Status usable() const;  // error where the session was moved from

  std::unique_ptr<Impl> impl_;
};

/// Samples that were checked and taken to a device; see Session::hold. Copies share them.
class HeldSamples {
 public:
  struct Impl;
  explicit HeldSamples(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Mounts a model on a device: shapes are checked, leaves numbered, weights copied.
/// Errors: kInvalidArgument naming the layer and the values (shapes, missing weights, non-finite weights),
/// kUnsupported (dtype, format), kNotFound (no such device, or why it is not here), kResourceExhausted.
Result<Session> mount(Stack& model, const MountOptions& options = {});
Result<Session> mount(Grid& model, const MountOptions& options = {});

}  // namespace weft
