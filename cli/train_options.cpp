// The flags of weft train.
#include "cli/train_options.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cli/data_options.h"
#include "cli/option.h"
#include "src/core/names.h"
#include "src/data/number.h"

namespace weft::cli {
namespace {

/// A number that `fits`; `value` holds the default.
CLI::Option* add_number(CLI::App& command, const std::string& flag, double& value, bool (*fits)(double),
                        const std::string& wanted, const std::string& description) {
  const auto accept = [=, &value](const std::string& text) {
    double number = 0.0;
    if (data::parse_number(text, number) != data::NumberFault::kNone || !fits(number))
      throw CLI::ValidationError(flag, fmt::format("seen {}, wanted {}", quote(text), wanted));
    value = number;
  };
  return command.add_option_function<std::string>(flag, accept, description)->type_name("X");
}

bool is_share(double number) { return number >= 0.0 && number < 1.0; }
/// Neither 0 nor infinite as a float32.
bool is_rate(double number) {
  using Limits = std::numeric_limits<float>;
  return number >= Limits::denorm_min() && number <= Limits::max();
}
bool is_above_0(double number) { return number > 0.0; }
bool is_0_or_more(double number) { return number >= 0.0; }
bool is_factor(double number) { return number > 0.0 && number <= 1.0; }

constexpr const char* kShare = "a number of 0 or more and below 1";
constexpr const char* kRate = "a number above 0 that float32 can hold, 1.5e-45 to 3.4e38";
constexpr const char* kAbove0 = "a number above 0";
constexpr const char* k0OrMore = "a number of 0 or more";

CLI::Option* add_text(CLI::App& command, const std::string& flag, std::string& value, const std::string& type,
                      const std::string& description) {
  const auto accept = [flag, &value, type](const std::string& text) {
    if (text.empty()) throw CLI::ValidationError(flag, fmt::format("seen '', wanted {}", type));
    value = text;
  };
  return command.add_option_function<std::string>(flag, accept, description)->type_name(type);
}

void add_data_options(CLI::App& command, TrainingOptions& options) {
  add_text(command, "--data", options.source, "digits|fashion-mnist|FILE",
           "Or csv:FILE, idx:IMAGES,LABELS, npy:X,Y, npz:FILE")
      ->default_str("digits")
      ->group("Data");
  add_number(command, "--val", options.validation, is_share, kShare, "Share of the rows for validation")
      ->default_str("0")
      ->group("Data");
  add_number(command, "--test", options.test, is_share, kShare,
             "Share of the rows for testing; without it the source's own, or 0.2")
      ->group("Data");
  add_named<data::ScalingKind>(command, "--scale", options.scaling, data::parse_scaling, "unit|standardise|none",
                               "Of the inputs, by numbers of the training part")
      ->group("Data");
  add_named<data::ScalingKind>(command, "--scale-target", options.target_scaling, data::parse_scaling,
                               "standardise|unit|none", "The same of the targets of a regression")
      ->group("Data");
  add_read_options(command, options.read);
}

void add_model_options(CLI::App& command, TrainingOptions& options) {
  const auto accept = [&options](const std::string& text) {
    auto parsed = parse_model_option(text);
    if (!parsed.ok()) throw CLI::ValidationError("--model", parsed.status().message());
    options.model = *std::move(parsed);
  };
  command.add_option_function<std::string>("--model", accept, "Widths of dense layers, or a model.json")
      ->type_name("WIDTHS|FILE|DIR")
      ->default_str("features-128-outputs; digits 64-32-10")
      ->group("Model");
  add_named<Activation>(command, "--activation", options.activation, parse_activation,
                        "linear|relu|relu2|leakyrelu|silu|gelu|tanh|sigmoid",
                        "Of the hidden layers; the last one is linear")
      ->group("Model");
  command.add_flag("--bias", options.bias, "Give every layer a bias")->group("Model");
  add_named<Initialiser>(command, "--init", options.init, parse_initialiser, "uniform|xavier|he|zeros",
                         "How fresh weights are drawn")
      ->group("Model");
  add_text(command, "--weights", options.weights, "FILE", "Start from the weights in this safetensors file")
      ->group("Model");
}

void add_mode_options(CLI::App& command, TrainingOptions& options) {
  add_named<Mode>(command, "--mode", options.mode, parse_mode, "MODE", "The update mode (see weft modes)")
      ->group("Training");
  add_named<Loss>(command, "--loss", options.loss, parse_loss, "ce|mse", "Softmax cross-entropy or mean squared error")
      ->default_str("ce; a regression mse")
      ->group("Training");
  add_integer(command, "--batch", options.batch, 1, INT32_MAX, "Samples in a training call")->group("Training");
  add_integer(command, "--epochs", options.epochs, 1, INT32_MAX, "Passes over the training samples")->group("Training");
  add_integer(command, "--seed", options.seed, 0, INT64_MAX,
              "Names the parts, the fresh weights and the order of samples")
      ->group("Training");
  add_integer(command, "--ticks", options.ticks, 1, INT32_MAX, "Of a mesh's clock in a call; as many as cells")
      ->default_str("")
      ->group("Training");
  add_device(command, "--device", options.device, "Where to train (see weft devices)")->group("Training");
  add_integer(command, "--threads", options.threads, 0, 1024, "Of native_cpu; 0 for the physical cores")
      ->group("Training");
  add_named<Precision>(command, "--precision", options.precision, parse_precision, "fp32|tf32|bf16",
                       "Of cuda: how the factors of products may be rounded")
      ->group("Training");
}

void add_step_options(CLI::App& command, TrainingOptions& options) {
  const std::string group = "Steps";
  add_number(command, "--lr", options.lr, is_rate, kRate, "Learning rate")->default_str("0.1")->group(group);
  add_named<Decay>(command, "--lr-schedule", options.decay, parse_decay, "constant|step|cosine",
                   "How the learning rate goes on after the warm-up")
      ->group(group);
  add_number(command, "--warmup", options.warmup, is_0_or_more, k0OrMore,
             "Epochs in which the learning rate rises from 0, 0.5 for instance")
      ->default_str("0")
      ->group(group);
  add_number(command, "--lr-step", options.lr_step, is_above_0, kAbove0, "step: epochs between two falls")
      ->default_str("a third of --epochs")
      ->group(group);
  add_number(command, "--lr-factor", options.lr_factor, is_factor, "a number above 0 and at most 1",
             "step: what a fall multiplies by")
      ->default_str("0.1")
      ->group(group);
  add_number(command, "--lr-min", options.lr_min, is_0_or_more, k0OrMore, "cosine: the last call's learning rate")
      ->default_str("0")
      ->group(group);
  add_named<OptimizerKind>(command, "--optimizer", options.optimizer, parse_optimizer, "sgd|momentum|nesterov|adamw",
                           "How a gradient moves the weights")
      ->group(group);
  add_number(command, "--momentum", options.momentum, is_share, kShare, "Of momentum and nesterov")
      ->default_str("0.9")
      ->group(group);
  add_number(command, "--weight-decay", options.weight_decay, is_0_or_more, k0OrMore,
             "Share of a weight that --lr 1 takes off in a step")
      ->default_str("0; adamw 0.01")
      ->group(group);
  add_number(command, "--clip", options.clip, is_above_0, kAbove0,
             "Largest norm of a weight matrix's or bias's gradient")
      ->group(group);
}

void add_output_options(CLI::App& command, TrainingOptions& options) {
  add_folder(command, "--out", options.out, "Write the model and how it was made into this folder")->group("Output");
  command.add_flag("--print-program", options.print_program, "Print the instructions of one training call and stop")
      ->group("Output");
  command.add_flag("--quiet", options.quiet, "Print only the final line")->group("Output");
  command.add_flag("--json", options.json, "Print a JSON object for each epoch and a final one")->group("Output");
}

/// The first of `flags` that was given.
std::string first_given(const TrainingOptions& options, std::initializer_list<const char*> flags) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const char* flag) { return options.has(flag); });
  return found == flags.end() ? std::string() : *found;
}

std::string no_effect(std::string_view flag, std::string_view with, std::string_view instead) {
  return fmt::format("{}: has no effect with {}, wanted {}", flag, with, instead);
}

std::string model_contradiction(const TrainingOptions& options) {
  if (std::holds_alternative<std::filesystem::path>(options.model)) {
    if (const std::string flag = first_given(options, {"--activation", "--bias"}); !flag.empty())
      return no_effect(flag, fmt::format("--model {}", quote(to_string(options.model))),
                       "widths, or the layers as the file has them");
  }
  if (options.has("--weights") && options.has("--init"))
    return no_effect("--init", "--weights", "one of them: every weight comes from the file");
  return {};
}

std::string step_contradiction(const TrainingOptions& options) {
  const bool momentum = options.optimizer == OptimizerKind::kMomentum || options.optimizer == OptimizerKind::kNesterov;
  if (options.has("--momentum") && !momentum)
    return no_effect("--momentum", fmt::format("--optimizer {}", to_string(options.optimizer)), "momentum or nesterov");
  const std::string schedule = fmt::format("--lr-schedule {}", to_string(options.decay));
  if (const std::string flag = first_given(options, {"--lr-step", "--lr-factor"});
      !flag.empty() && options.decay != Decay::kStep)
    return no_effect(flag, schedule, "step");
  if (options.has("--lr-min") && options.decay != Decay::kCosine) return no_effect("--lr-min", schedule, "cosine");
  if (options.lr_min > options.lr)
    return fmt::format("--lr-min: seen '{}', wanted at most the {} of --lr", options.lr_min, options.lr);
  const auto epochs = static_cast<double>(options.epochs);
  if (options.warmup >= epochs)
    return fmt::format("--warmup: seen '{}', wanted fewer than the {} of --epochs", options.warmup, options.epochs);
  if (options.has("--lr-step") && options.lr_step >= epochs - options.warmup)
    return no_effect(fmt::format("--lr-step: {}", options.lr_step),
                     fmt::format("{} epochs after the warm-up", epochs - options.warmup), "fewer");
  return {};
}

}  // namespace

void add_training_options(CLI::App& command, TrainingOptions& options) {
  add_data_options(command, options);
  add_model_options(command, options);
  add_mode_options(command, options);
  add_step_options(command, options);
  add_output_options(command, options);
}

void note_given(const CLI::App& command, TrainingOptions& options) {
  options.given.clear();
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) options.given.insert(option->get_name());
  }
}

std::string contradiction(const TrainingOptions& options) {
  if (std::string why = model_contradiction(options); !why.empty()) return why;
  if (std::string why = step_contradiction(options); !why.empty()) return why;
  if (options.validation + options.test >= 1.0)
    return fmt::format("--val and --test: seen '{}' and '{}', wanted less than 1 together", options.validation,
                       options.test);
  if (options.has("--ticks") && options.mode.schedule != Schedule::kMesh)
    return no_effect("--ticks", fmt::format("--mode {}", to_string(options.mode)), "a mode of a mesh");
  if (options.has("--threads") && options.device != "native_cpu")
    return no_effect("--threads", fmt::format("--device {}", options.device), "native_cpu");
  if (options.has("--precision") && options.device != "cuda")
    return no_effect("--precision", fmt::format("--device {}", options.device), "cuda");
  if (options.has("--scale-target") && options.read.csv.task != data::Task::kRegression)
    return no_effect("--scale-target", "--task classification", "regression");
  if (options.has("--loss") && options.loss == Loss::kCrossEntropy && options.read.csv.task == data::Task::kRegression)
    return "--loss: seen 'ce', wanted mse for --task regression";
  return {};
}

std::string contradiction(const TrainingOptions& options, const data::Dataset& dataset) {
  const std::string data = fmt::format("--data {}", quote(options.source));
  const auto given = [&](const char* flag) { return options.has(flag); };
  if (std::string why = without_effect(given, data, dataset); !why.empty()) return why;
  if (dataset.reading.files.empty() && dataset.test_rows > 0 && options.has("--test"))
    return fmt::format("--test: seen '{}', wanted none for {}, which has {} test rows of its own", options.test, data,
                       dataset.test_rows);
  return {};
}

Loss loss_of(const TrainingOptions& options, data::Task task) {
  if (options.has("--loss")) return options.loss;
  return task == data::Task::kRegression ? Loss::kMse : Loss::kCrossEntropy;
}

Optimizer optimizer_of(const TrainingOptions& options) {
  Optimizer optimizer = options.optimizer == OptimizerKind::kAdamW ? adamw() : Optimizer{.kind = options.optimizer};
  optimizer.momentum = options.momentum;
  if (options.has("--weight-decay")) optimizer.weight_decay = options.weight_decay;
  optimizer.clip = options.clip;
  return optimizer;
}

data::SplitOptions split_of(const TrainingOptions& options) {
  return {.validation = options.validation,
          .test = options.has("--test") ? std::optional(options.test) : std::nullopt,
          .seed = static_cast<std::uint64_t>(options.seed),
          .scaling = options.scaling,
          .target_scaling = options.target_scaling};
}

Result<LearningRate> schedule_of(const TrainingOptions& options, std::int64_t calls) {
  const auto in_calls = [&](double epochs) {
    return static_cast<std::int64_t>(std::llround(std::min(epochs * static_cast<double>(calls), 0x1p62)));
  };
  const double step = options.has("--lr-step") ? options.lr_step : static_cast<double>(options.epochs) / 3.0;
  const LearningRate schedule{.rate = options.lr,
                              .decay = options.decay,
                              .warmup = in_calls(options.warmup),
                              .calls = calls * options.epochs,
                              .period = std::max<std::int64_t>(in_calls(step), 1),
                              .factor = options.lr_factor,
                              .least = options.lr_min};
  if (schedule.warmup >= schedule.calls)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--warmup: {} of the {} calls, wanted fewer", schedule.warmup, schedule.calls));
  if (const Status status = schedule.validate(); !status.ok())
    return Status(status.code(), "--lr-schedule: " + status.message());
  return schedule;
}

}  // namespace weft::cli
