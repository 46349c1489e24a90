// weft train: a model of dense layers on a data set, epoch by epoch.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option.h"
#include "cli/widths.h"
#include "src/core/try.h"
#include "weft/data.hpp"
#include "weft/model_file.hpp"
#include "weft/session.hpp"

namespace weft::cli {
namespace {

struct Options {
  std::string data = "digits";
  Widths model{{64, 32, 10}};
  Activation activation = Activation::kTanh;
  bool bias = false;
  Loss loss = Loss::kCrossEntropy;
  Mode mode;
  double lr = 0.1;
  std::int64_t batch = 16, epochs = 20, seed = 1;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  Initialiser init = Initialiser::kUniform;
  std::string device = "native_cpu";
  std::string out;
  bool print_program = false, quiet = false;
};

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The epochs as they go by: on a terminal one line that is written over, otherwise a line each.
class Progress {
 public:
  explicit Progress(const Options& options)
      : epochs_(options.epochs), quiet_(options.quiet), terminal_(isatty(fileno(stdout)) == 1) {}

  void epoch(std::int64_t number, double loss, const EvaluateResult& test, double seconds) {
    if (quiet_) return;
    if (terminal_) {
      fmt::print("\r\x1b[Kepoch {}/{}  loss {:.6g}  test loss {:.6g}  test accuracy {:.4f}  {:.3f} s", number, epochs_,
                 loss, test.loss, test.accuracy, seconds);
      open_ = true;
    } else {
      fmt::print("epoch={} loss={:.6g} test_loss={:.6g} test_accuracy={:.4f} seconds={:.3f}\n", number, loss, test.loss,
                 test.accuracy, seconds);
    }
    std::fflush(stdout);
  }

  /// Ends the line that was written over.
  ~Progress() {
    if (open_) fmt::print("\n");
  }

 private:
  std::int64_t epochs_;
  bool quiet_, terminal_, open_ = false;
};

Optimizer optimizer(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kSgd: return sgd();
    case OptimizerKind::kMomentum: return momentum();
    case OptimizerKind::kNesterov: return nesterov();
    case OptimizerKind::kAdamW: return adamw();
  }
  return sgd();
}

/// Layers of the given widths, the last one linear; for mesh modes a column of cells behind a disabled ingress.
Model build(const Options& options) {
  std::vector<Op> layers;
  for (std::size_t i = 0; i + 1 < options.model.sizes.size(); ++i) {
    const bool head = i + 2 == options.model.sizes.size();
    layers.emplace_back(dense(options.model.sizes[i], options.model.sizes[i + 1],
                              head ? Activation::kLinear : options.activation, {.bias = options.bias}));
  }
  if (options.mode.schedule != Schedule::kMesh) return Stack(std::move(layers));
  Grid grid(static_cast<std::int64_t>(layers.size()) + 1, 1, 1, 1);
  grid.cells[0].disabled = true;
  for (std::size_t i = 0; i < layers.size(); ++i) grid.cells[i + 1].op = std::move(layers[i]);
  return grid;
}

/// The clock ticks that bring an input to the last layer.
int ticks(const Options& options) { return static_cast<int>(options.model.sizes.size()) - 1; }

/// What is wrong with --model and --batch for these data, or nothing.
std::string misfit(const Options& options, const data::Samples& train) {
  const std::int64_t features = train.inputs.shape().features(), classes = train.targets.shape().features();
  if (options.model.sizes.front() != features || options.model.sizes.back() != classes) {
    return fmt::format("--model: seen '{}', wanted first width {} and last width {} for --data {}",
                       to_string(options.model), features, classes, options.data);
  }
  if (options.batch > train.size()) {
    return fmt::format("--batch: seen '{}', wanted at most the {} training samples of --data {}", options.batch,
                       train.size(), options.data);
  }
  return {};
}

/// Whether --out can become a folder to write in: told before the training and not after it.
Status check_out(const std::string& out) {
  namespace fs = std::filesystem;
  if (out.empty()) return {};
  std::error_code error;
  fs::path folder = fs::absolute(out, error);
  while (!fs::exists(folder, error) && folder.has_parent_path() && folder != folder.parent_path())
    folder = folder.parent_path();
  if (!fs::is_directory(folder, error)) {
    return {StatusCode::kIo, fmt::format("--out {}: {} is no folder", out, folder.string())};
  }
  if (access(folder.c_str(), W_OK) != 0) {
    return {StatusCode::kIo, fmt::format("--out {}: {} cannot be written", out, folder.string())};
  }
  return {};
}

/// Makes the folder before the training: access rights do not tell all (a name too long, a system folder).
Status make_out(const std::string& out) {
  std::error_code error;
  if (!out.empty()) std::filesystem::create_directories(out, error);
  if (error) return {StatusCode::kIo, fmt::format("--out {}: cannot make the folder: {}", out, error.message())};
  return {};
}

/// The samples still in the pipe count as training too.
Status drain(Session& session) {
  WEFT_ASSIGN_OR_RETURN([[maybe_unused]] const auto popped, session.flush());
  return {};
}

struct Outcome {
  EvaluateResult test;
  double seconds = 0.0;  // of training, evaluation not counted
};

/// A call whose loss is not finite moves nothing: said where it happens, an error where no call of the epoch moved
/// anything.
Status check_finite(const FitResult& fit, std::int64_t epoch, double lr) {
  if (fit.non_finite == 0) return {};
  const std::string message =
      fmt::format("epoch {}: the loss of {} of {} calls was not finite, they moved nothing; --lr {} may be too large",
                  epoch, fit.non_finite, fit.calls, lr);
  if (fit.non_finite + fit.filling >= fit.calls) return {StatusCode::kFailedPrecondition, message};
  fmt::print(stderr, "weft train: {}\n", message);
  return {};
}

Result<Outcome> run_epochs(Session& session, const Options& options, const data::Split& data) {
  Progress progress(options);
  const EvaluateOptions evaluation{.ticks = ticks(options)};
  Outcome outcome;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    const Stopwatch watch;
    WEFT_ASSIGN_OR_RETURN(const FitResult fit,
                          session.fit(data.train, {.mode = options.mode,
                                                   .lr = options.lr,
                                                   .batch = options.batch,
                                                   .epoch = static_cast<int>(epoch),
                                                   .seed = static_cast<std::uint64_t>(options.seed),
                                                   .ticks = ticks(options)}));
    // The pipe of a line mode stays filled from epoch to epoch.
    if (epoch + 1 == options.epochs && options.mode.schedule == Schedule::kLine) WEFT_RETURN_IF_ERROR(drain(session));
    const double seconds = watch.seconds();
    outcome.seconds += seconds;
    WEFT_RETURN_IF_ERROR(check_finite(fit, epoch + 1, options.lr));
    WEFT_ASSIGN_OR_RETURN(outcome.test, session.evaluate(data.test, evaluation));
    progress.epoch(epoch + 1, fit.loss, outcome.test, seconds);
  }
  return outcome;
}

Status save_model(Session& session, const Model& model, const Options& options) {
  WEFT_RETURN_IF_ERROR(session.sync_to_host());
  if (options.out.empty()) return {};
  return save(model, options.out,
              {{"mode", to_string(options.mode)},
               {"seed", fmt::to_string(options.seed)},
               {"epochs", fmt::to_string(options.epochs)}});
}

Result<std::string> program_text(Session& session, const Options& options, const data::Samples& train) {
  return session.print_program(train.inputs.shape().with_batch(options.batch),
                               train.targets.shape().with_batch(options.batch),
                               {.mode = options.mode, .lr = options.lr, .ticks = ticks(options)});
}

Status train(const Options& options, const data::Split& data) {
  Model model = build(options);
  const Init init{.seed = static_cast<std::uint64_t>(options.seed), .initialiser = options.init};
  WEFT_RETURN_IF_ERROR(std::visit([&](auto& root) { return root.initialise(init); }, model));
  const MountOptions mounting{
      .device = options.device, .loss = options.loss, .optimizer = optimizer(options.optimizer)};
  WEFT_ASSIGN_OR_RETURN(Session session, std::visit([&](auto& root) { return mount(root, mounting); }, model));
  // What the mode refuses is told before anything is written.
  WEFT_ASSIGN_OR_RETURN(const std::string program, program_text(session, options, data.train));
  if (options.print_program) {
    fmt::print("{}", program);
    return {};
  }
  WEFT_RETURN_IF_ERROR(make_out(options.out));

  WEFT_ASSIGN_OR_RETURN(const Outcome outcome, run_epochs(session, options, data));
  WEFT_RETURN_IF_ERROR(save_model(session, model, options));
  fmt::print("final mode={} epochs={} test_loss={:.6g} test_accuracy={:.4f} seconds={:.2f} out={}\n",
             to_string(options.mode), options.epochs, outcome.test.loss, outcome.test.accuracy, outcome.seconds,
             options.out.empty() ? "-" : options.out);
  return session.close();
}

int run(const Options& options) {
  if (const Status status = check_out(options.out); !status.ok()) return failed("train", status);
  const Result<data::Split> data = data::digits();
  if (!data.ok()) return failed("train", data.status());
  if (const std::string wrong = misfit(options, data->train); !wrong.empty()) return misused("train", wrong);
  const Status status = train(options, *data);
  return status.ok() ? kExitOk : failed("train", status);
}

void add_model_options(CLI::App& command, Options& options) {
  add_named<Widths>(command, "--model", options.model, parse_widths, "WIDTHS", "Widths of the layers, input first")
      ->group("Model");
  add_named<Activation>(command, "--activation", options.activation, parse_activation,
                        "linear|relu|relu2|leakyrelu|silu|gelu|tanh|sigmoid",
                        "Of the hidden layers; the last one is linear")
      ->group("Model");
  command.add_flag("--bias", options.bias, "Give every layer a bias")->group("Model");
  add_named<Initialiser>(command, "--init", options.init, parse_initialiser, "uniform|xavier|he|zeros",
                         "How fresh weights are drawn")
      ->group("Model");
}

void add_training_options(CLI::App& command, Options& options) {
  add_named<Mode>(command, "--mode", options.mode, parse_mode, "MODE", "The update mode (see weft modes)")
      ->group("Training");
  add_named<Loss>(command, "--loss", options.loss, parse_loss, "ce|mse", "Softmax cross-entropy or mean squared error")
      ->group("Training");
  add_named<OptimizerKind>(command, "--optimizer", options.optimizer, parse_optimizer, "sgd|momentum|nesterov|adamw",
                           "How a gradient moves the weights")
      ->group("Training");
  add_positive(command, "--lr", options.lr, "Learning rate")->group("Training");
  add_integer(command, "--batch", options.batch, 1, INT32_MAX, "Samples in a training call")->group("Training");
  add_integer(command, "--epochs", options.epochs, 1, INT32_MAX, "Passes over the training samples")->group("Training");
  add_integer(command, "--seed", options.seed, 0, INT64_MAX, "Names the fresh weights and the order of samples")
      ->group("Training");
  add_device(command, "--device", options.device, "Where to train (see weft devices)")->group("Training");
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("train", "Train a model on a data set")->group("Train and check");
  const auto accept_data = [options](const std::string& text) {
    if (text != "digits") throw CLI::ValidationError("--data", fmt::format("seen '{}', wanted digits", text));
  };
  command->add_option_function<std::string>("--data", accept_data, "The data set: digits, the 8x8 UCI digits")
      ->type_name("digits")
      ->default_str("digits");
  add_model_options(*command, *options);
  add_training_options(*command, *options);
  add_folder(*command, "--out", options->out, "Write model.json and weights.safetensors into this folder")
      ->group("Output");
  command->add_flag("--print-program", options->print_program, "Print the instructions of one training call and stop")
      ->group("Output");
  command->add_flag("--quiet", options->quiet, "Print only the final line")->group("Output");
  command->footer(
      R"(Mesh modes train the same layers as the cells of a grid behind a disabled ingress, with as many clock ticks
as layers. Line modes keep their pipe filled from epoch to epoch and drain it at the end. seconds counts
training alone, without evaluation. The last line of the output reads
  final mode=NormalBP epochs=20 test_loss=... test_accuracy=... seconds=... out=DIR

Examples:
  weft train --data digits
  weft train --mode TweenSplitFastProxy --activation relu --bias --epochs 40 --out run
  weft train --mode MeshTween --loss mse --quiet
  weft train --mode StepBP --print-program)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
