// weft train, step by step: data, model, device, epochs, files.
#include "cli/training.h"

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/constant_answer.h"
#include "cli/epochs.h"
#include "cli/input_files.h"
#include "cli/out_folder.h"
#include "cli/run_record.h"
#include "cli/training_id.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "weft/version.hpp"

namespace weft::cli {
namespace {

constexpr std::int64_t kHidden = 128, kHiddenOfDigits = 32;
constexpr std::size_t kMostMisses = 5;  // of imported weights that a message lists

Widths usual_widths(const TrainingOptions& options, const TrainingData& data) {
  return {{data.features(), options.source == "digits" ? kHiddenOfDigits : kHidden, data.outputs()}};
}

/// What is wrong with --model and --batch for these data, or nothing.
std::string misfit(const TrainingOptions& options, const TrainingData& data) {
  if (const auto* widths = std::get_if<Widths>(&options.model);
      widths != nullptr && (widths->sizes.front() != data.features() || widths->sizes.back() != data.outputs())) {
    return fmt::format("--model: seen '{}', wanted first width {} and last width {} for --data {}", to_string(*widths),
                       data.features(), data.outputs(), printable(options.source));
  }
  if (options.batch > data.parts.train.size()) {
    return fmt::format("--batch: seen '{}', wanted at most the {} training samples of --data {}", options.batch,
                       data.parts.train.size(), printable(options.source));
  }
  return {};
}

/// A message of a part of the library that the flag stands for: "--weights: 'w.safetensors': not JSON".
Status at_flag(std::string_view flag, std::string_view place, const Status& status) {
  std::string_view message = status.message();
  if (message.starts_with(place)) message.remove_prefix(place.size());
  return {status.code(), fmt::format("{}: {}", flag, message)};
}

/// What did not come out of the file, the first of them by name.
Status misses(const ImportReport& report, const std::string& file) {
  std::string list;
  std::size_t missed = 0;
  for (const ImportedTensor& tensor : report.tensors) {
    if (tensor.fate == ImportedTensor::Fate::kTaken || ++missed > kMostMisses) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : "; ", tensor.name, to_string(tensor.fate));
    if (tensor.fate != ImportedTensor::Fate::kMissing)
      list += fmt::format(", seen {} {}, wanted {}", printable(tensor.type), to_string(tensor.seen),
                          to_string(tensor.wanted));
  }
  if (missed > kMostMisses) list += fmt::format("; and {} more", missed - kMostMisses);
  return {StatusCode::kInvalidArgument, fmt::format("--weights {}: {} of {} arrays fit, wanted all: {}", quote(file),
                                                    report.tensors.size() - missed, report.tensors.size(), list)};
}

Result<Model> make_model(const TrainingOptions& options, const TrainingData& data) {
  Model model;
  if (const auto* path = std::get_if<std::filesystem::path>(&options.model)) {
    auto read = model_of_file(*path);
    if (!read.ok()) return at_flag("--model", "", read.status());
    model = *std::move(read);
  } else {
    const auto* widths = std::get_if<Widths>(&options.model);
    model = model_of_widths(widths == nullptr ? usual_widths(options, data) : *widths, options.activation, options.bias,
                            options.mode.schedule);
  }
  const Init init{.seed = static_cast<std::uint64_t>(options.seed), .initialiser = options.init};
  WEFT_RETURN_IF_ERROR(std::visit([&](auto& root) { return root.initialise(init); }, model));
  if (options.weights.empty()) return model;
  const auto report = import_weights(model, options.weights);
  if (!report.ok()) return at_flag("--weights", "import: ", report.status());
  if (!report->complete()) return misses(*report, options.weights);
  return model;
}

std::uint64_t bytes_of(const Model& model) {
  std::uint64_t bytes = 0;
  for (const Dense* leaf : std::visit([](const auto& root) { return leaves(root); }, model))
    bytes += leaf->weight.bytes() + (leaf->bias ? leaf->bias->bytes() : 0);
  return bytes;
}

/// One training, its parts in the order in which they are made.
struct Training {
  const TrainingOptions& options;
  TrainingData data;
  Model model;
  EpochPlan plan;
  Loss loss = Loss::kCrossEntropy;

  Result<Session> mount();
  Result<std::string> program(Session& session) const;
  Status at_model(const Status& status, std::string_view place) const;
  RunRecord record(const Outcome& outcome) const;
  std::string cause() const;
  std::string disappointment(const Outcome& outcome) const;
  Status save(const Outcome& outcome, const MetricsFile& metrics, OutFolder& out, bool keep_old) const;
};

Result<Session> Training::mount() {
  const MountOptions mounting{.device = options.device,
                              .loss = loss,
                              .optimizer = optimizer_of(options),
                              .threads = static_cast<int>(options.threads),
                              .precision = options.precision};
  auto session = std::visit([&](auto& root) { return weft::mount(root, mounting); }, model);
  return session.ok() ? std::move(session) : Result<Session>(at_model(session.status(), "mount: "));
}

Result<std::string> Training::program(Session& session) const {
  const data::Samples& train = data.parts.train;
  auto text =
      session.print_program(train.inputs.shape().with_batch(plan.batch), train.targets.shape().with_batch(plan.batch),
                            {.mode = plan.mode, .lr = options.lr, .ticks = plan.ticks});
  return text.ok() ? text : at_model(text.status(), "print_program: ");
}

/// A model from a file may be none for these data. What does not begin with the place is of the device.
Status Training::at_model(const Status& status, std::string_view place) const {
  const bool file = std::holds_alternative<std::filesystem::path>(options.model);
  if (!status.message().starts_with(place)) return status;
  if (!file) return {status.code(), status.message().substr(place.size())};
  return at_flag(fmt::format("--model {}", quote(to_string(options.model))), place, status);
}

RunRecord Training::record(const Outcome& outcome) const {
  RunRecord record{.mode = plan.mode,
                   .loss = loss,
                   .device = options.device,
                   .ticks = plan.ticks,
                   .batch = plan.batch,
                   .epochs = plan.epochs,
                   .seed = options.seed,
                   .lr = options.lr,
                   .schedule = plan.schedule,
                   .optimizer = optimizer_of(options),
                   .interrupted = outcome.interrupted,
                   .val_loss = {},
                   .val_accuracy = {},
                   .test_loss = {},
                   .test_accuracy = {},
                   .version = version(),
                   .training = {}};
  if (outcome.validation)
    record.val_loss = outcome.validation->loss, record.val_accuracy = outcome.validation->accuracy;
  if (outcome.test) record.test_loss = outcome.test->loss, record.test_accuracy = outcome.test->accuracy;
  return record;
}

/// What may be too large where numbers are not finite, or none that one would want.
std::string Training::cause() const {
  const double decay = optimizer_of(options).weight_decay;
  std::string text = fmt::format("--lr {} may be too large", options.lr);
  if (decay > 0.0) text += fmt::format(", or --weight-decay {}", decay);
  if (data.preparation.task == data::Task::kRegression && options.target_scaling == data::ScalingKind::kNone)
    text += ", or the targets, which --scale-target none leaves as they are";
  return text;
}

/// Of a training that came to less than an answer that is always the same; else nothing.
std::string Training::disappointment(const Outcome& outcome) const {
  const double constant = constant_answer_loss(data.parts.train, loss);
  if (!outcome.loss || !(*outcome.loss > constant) || constant == 0.0) return {};
  return fmt::format(
      "warning: the last loss, {:.4g}, is above the {:.4g} of always giving the same answer; {}, or the "
      "training too short",
      *outcome.loss, constant, cause());
}

Status Training::save(const Outcome& outcome, const MetricsFile& metrics, OutFolder& out, bool keep_old) const {
  if (!out) return {};
  RunRecord run = record(outcome);
  run.training = training_id(run, model, data.preparation);
  WEFT_ASSIGN_OR_RETURN(const std::filesystem::path stage, out.stage());
  WEFT_RETURN_IF_ERROR(weft::save(model, stage,
                                  {{"mode", to_string(plan.mode)},
                                   {"seed", fmt::to_string(plan.seed)},
                                   {"epochs", fmt::to_string(outcome.epochs)},
                                   {kTrainingKey, run.training.id}}));
  WEFT_RETURN_IF_ERROR(data::save_preparation(data.preparation, stage));
  WEFT_RETURN_IF_ERROR(save_run_record(run, stage));
  WEFT_RETURN_IF_ERROR(metrics.write(stage / "metrics.jsonl"));
  return out.commit(keep_old);
}

/// That data.json will tell what it is to tell, before hours are spent.
Status check_preparation(const TrainingData& data) {
  const auto again = data::preparation_from_json(to_json(data.preparation));
  if (!again.ok()) return at_flag("--data", "", again.status());
  if (*again == data.preparation) return {};
  return {StatusCode::kInvalidArgument, fmt::format("--data {}: a name is not UTF-8, wanted UTF-8 text for data.json",
                                                    printable(data.preparation.reading.source))};
}

void print_notes(const TrainingOptions& options, const Training& training, Progress& progress) {
  if (options.quiet) return;
  for (const std::string& note : training.data.notes) progress.note("note: " + printable(note));
  if (const auto* folder = std::get_if<std::filesystem::path>(&options.model);
      folder != nullptr && options.weights.empty() && std::filesystem::is_directory(*folder)) {
    progress.note(fmt::format("note: the weights are drawn anew; --weights {}/weights.safetensors goes on from there",
                              printable(folder->string())));
  }
  const std::int64_t samples = training.data.parts.train.size(), left = samples % training.plan.batch;
  if (left == 0) return;
  progress.note(
      fmt::format("note: the last {} of an epoch's {} samples do not fill a batch of {} and sit it out, in "
                  "each epoch others",
                  left, samples, training.plan.batch));
}

using Json = nlohmann::ordered_json;

void print_final_json(const TrainingOptions& options, const Outcome& outcome) {
  Json json{{"final", true},
            {"mode", to_string(options.mode)},
            {"epochs", outcome.epochs},
            {"interrupted", outcome.interrupted}};
  const auto put = [&](const std::string& part, const std::optional<Score>& score) {
    if (!score) return;
    json[part + "_loss"] = score->loss;
    if (score->accuracy) json[part + "_accuracy"] = *score->accuracy;
  };
  put("val", outcome.validation);
  put("test", outcome.test);
  json["seconds"] = outcome.seconds;
  json["out"] = options.out.empty() ? Json() : Json(options.out);
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void print_final(const TrainingOptions& options, const Outcome& outcome) {
  if (options.json) return print_final_json(options, outcome);
  fmt::print("final mode={} epochs={}{}{}{} seconds={} out={}\n", to_string(options.mode), outcome.epochs,
             outcome.interrupted ? " interrupted=yes" : "", score_pairs("val", outcome.validation),
             score_pairs("test", outcome.test), seconds_text(outcome.seconds),
             options.out.empty() ? "-" : printable(options.out));
}

std::string interruption(const TrainingOptions& options, const EpochPlan& plan, const Outcome& outcome) {
  const std::string when = outcome.calls == 0 ? fmt::format("after epoch {} of {}", outcome.epochs, plan.epochs)
                                              : fmt::format("in epoch {}, after call {} of {}", outcome.epochs + 1,
                                                            outcome.calls, plan.calls);
  return fmt::format("interrupted {}: {}", when,
                     options.out.empty() ? "nothing is saved without --out" : "saved to " + printable(options.out));
}

/// Why --data has to be given: the model was trained on other data than those that stand in for it. Or nothing.
std::string missing_source(const TrainingOptions& options) {
  const auto* path = std::get_if<std::filesystem::path>(&options.model);
  if (path == nullptr || options.has("--data")) return {};
  std::error_code ignored;
  const auto folder = std::filesystem::is_directory(*path, ignored) ? *path : path->parent_path();
  const auto trained = data::load_preparation(folder);
  if (trained.status().code() == StatusCode::kNotFound) return {};
  if (!trained.ok()) return fmt::format("--data: not given, and {}", trained.status().message());
  if (trained->reading.source == options.source) return {};
  return fmt::format("--data: not given, wanted it named: {} was trained on {}", quote(path->string()),
                     quote(trained->reading.source));
}

/// That no file of --out is one of those that were read.
Status check_sources(const TrainingOptions& options, const TrainingData& data) {
  if (options.out.empty()) return {};
  const auto& files = data.preparation.reading.files;
  const std::vector<std::filesystem::path> sources(files.begin(), files.end());
  for (const char* name : kRunFiles) {
    WEFT_RETURN_IF_ERROR(check_out(std::filesystem::path(options.out) / name, sources));
  }
  return {};
}

/// From the mounted model on. The outcome, or nothing where the program was all that was asked for.
Result<std::optional<Outcome>> train(Training& training, OutFolder& out) {
  const TrainingOptions& options = training.options;
  WEFT_ASSIGN_OR_RETURN(Session session, training.mount());
  // What the mode refuses is told before anything is written.
  WEFT_ASSIGN_OR_RETURN(const std::string program, training.program(session));
  if (options.print_program) {
    fmt::print("{}", program);
    return std::optional<Outcome>();
  }
  if (out) WEFT_RETURN_IF_ERROR(check_preparation(training.data));
  WEFT_RETURN_IF_ERROR(out.prepare(bytes_of(training.model)));

  const Interrupt interrupt;
  Progress progress(progress_style(options.quiet, options.json), training.plan.epochs, training.plan.batch);
  print_notes(options, training, progress);
  MetricsFile metrics(out.part());
  training.plan.cause = training.cause();
  if (out) training.plan.kept = fmt::format("; no file in {} was replaced", quote(options.out));
  WEFT_ASSIGN_OR_RETURN(const Outcome outcome, run_epochs(session, training.model, training.plan, training.data.parts,
                                                          progress, out ? &metrics : nullptr, interrupt));
  progress.finish();
  std::string warning = training.disappointment(outcome);
  WEFT_RETURN_IF_ERROR(training.save(outcome, metrics, out, !warning.empty()));
  if (!out.kept().empty()) warning += fmt::format("; the model that was there is in {}", quote(out.kept().string()));
  if (!warning.empty()) progress.note(warning);
  if (outcome.interrupted) progress.note(interruption(options, training.plan, outcome));
  print_final(options, outcome);
  WEFT_RETURN_IF_ERROR(session.close());
  return std::optional(outcome);
}

}  // namespace

int run_training(const TrainingOptions& options) {
  if (const std::string wrong = contradiction(options); !wrong.empty()) return misused("train", wrong);
  if (const std::string wrong = missing_source(options); !wrong.empty()) return misused("train", wrong);
  OutFolder out(options.out);
  if (const Status status = out.check(); !status.ok()) return failed("train", status);
  auto data = load_training_data(options);
  if (!data.ok()) return failed("train", data.status());
  if (!data->misuse.empty()) return misused("train", data->misuse);
  if (const Status status = check_sources(options, *data); !status.ok()) return failed("train", status);
  if (const std::string wrong = misfit(options, *data); !wrong.empty()) return misused("train", wrong);
  const std::int64_t calls = data->parts.train.size() / options.batch;
  const auto schedule = schedule_of(options, calls);
  if (!schedule.ok()) return misused("train", schedule.status().message());
  auto model = make_model(options, *data);
  if (!model.ok()) return failed("train", model.status());
  data->convert(dtype_of(*model));
  const int ticks = options.has("--ticks") ? static_cast<int>(options.ticks) : ticks_through(*model);
  const Loss loss = loss_of(options, data->preparation.task);

  Training training{.options = options,
                    .data = *std::move(data),
                    .model = *std::move(model),
                    .plan = {.mode = options.mode,
                             .epochs = options.epochs,
                             .batch = options.batch,
                             .calls = calls,
                             .seed = static_cast<std::uint64_t>(options.seed),
                             .ticks = ticks,
                             .schedule = *schedule,
                             .cause = {},
                             .kept = {}},
                    .loss = loss};
  const auto outcome = train(training, out);
  if (!outcome.ok()) return failed("train", outcome.status());
  return *outcome && (*outcome)->interrupted ? kExitInterrupted : kExitOk;
}

}  // namespace weft::cli
