// weft predict: what a trained model says of rows.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/input_files.h"
#include "cli/prediction.h"
#include "cli/row_options.h"
#include "cli/trained_model.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/npy_write.h"
#include "src/io/atomic_file.h"

namespace weft::cli {
namespace {

struct Options {
  std::string folder, out;
  RowOptions rows;
  std::optional<Loss> loss;
  Mounting mounting;
  bool all_outputs = false, raw = false;
};

bool is_npy(const std::string& out) { return lower_case(std::filesystem::path(out).extension().string()) == ".npy"; }

/// What is wrong with --out, or nothing: told before anything is read.
std::string misfit(const Options& options) {
  const std::string extension = lower_case(std::filesystem::path(options.out).extension().string());
  if (!options.out.empty() && extension != ".csv" && extension != ".npy")
    return fmt::format("--out: seen {}, wanted a file that ends in .csv or .npy", quote(options.out));
  if (options.all_outputs && is_npy(options.out))
    return fmt::format("--outputs: has no effect with --out {}, wanted .csv: .npy has all outputs", quote(options.out));
  return {};
}

/// The same of the flags that the model gives a meaning.
std::string misfit(const Options& options, const TrainedModel& model) {
  const bool regression = model.preparation().task == data::Task::kRegression;
  if (options.all_outputs && regression)
    return "--outputs: has no effect with a regression, wanted a classification: each target has its column";
  if (options.raw && (regression || model.loss() != Loss::kCrossEntropy))
    return fmt::format("--raw: has no effect with a {}, wanted one with probabilities",
                       regression ? "regression" : "model trained for mse");
  return {};
}

/// The files that are read, and those of the training.
std::vector<std::filesystem::path> inputs_of(const Options& options, const TrainedModel& model,
                                             const ChosenRows& chosen) {
  std::vector<std::filesystem::path> inputs;
  for (const auto* reading : {&chosen.dataset.reading, &model.preparation().reading})
    inputs.insert(inputs.end(), reading->files.begin(), reading->files.end());
  for (const char* name : {"model.json", "weights.safetensors", "data.json", "run.json", "metrics.jsonl"})
    inputs.push_back(std::filesystem::path(options.folder) / name);
  return inputs;
}

/// Names as a terminal may show them.
void make_printable(Prediction& prediction) {
  for (std::string& name : prediction.names) name = printable(name);
  for (std::string& label : prediction.labels) label = printable(label);
}

Status write(const Options& options, Prediction prediction) {
  if (options.out.empty()) {
    if (isatty(fileno(stdout)) == 1) make_printable(prediction);
    const std::string text = to_csv(prediction, options.all_outputs);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }
  if (is_npy(options.out)) {
    const Tensor& outputs = prediction.outputs;
    WEFT_RETURN_IF_ERROR(data::write_npy(options.out, outputs.values<float>(), outputs.shape().axes()));
  } else {
    const std::string text = to_csv(prediction, options.all_outputs);
    WEFT_RETURN_IF_ERROR(write_file_atomically(options.out, text.data(), text.size()));
  }
  fmt::print("rows={} out={}\n", prediction.rows.size(), printable(options.out));
  return {};
}

/// Why the flags do not go with the model or the data, or nothing.
Result<std::string> predict(const Options& options) {
  WEFT_ASSIGN_OR_RETURN(TrainedModel model, TrainedModel::open(options.folder, options.loss, options.mounting));
  if (std::string wrong = misfit(options, model); !wrong.empty()) return wrong;
  WEFT_ASSIGN_OR_RETURN(ChosenRows chosen, choose_rows(options.rows, model.preparation(), /*judge=*/false));
  if (!chosen.misuse.empty()) return chosen.misuse;
  WEFT_RETURN_IF_ERROR(check_out(options.out, inputs_of(options, model, chosen)));
  if (chosen.dataset.dropped > 0) {
    say(fmt::format("weft predict: {} rows were left out, a value is missing; row counts those that were kept\n",
                    chosen.dataset.dropped));
  }
  Prediction prediction;
  prediction.task = model.preparation().task;
  prediction.names = model.output_names();
  prediction.rows = std::move(chosen.rows);
  for (const std::int32_t label : chosen.samples.labels) {
    prediction.labels.push_back(prediction.names[static_cast<std::size_t>(label)]);
  }
  prediction.targets = std::move(chosen.targets);
  WEFT_ASSIGN_OR_RETURN(prediction.outputs, model.outputs(chosen.samples.inputs));
  WEFT_RETURN_IF_ERROR(model.preparation().target_scaling.undo(prediction.outputs));
  prediction.probabilities =
      prediction.task == data::Task::kClassification && model.loss() == Loss::kCrossEntropy && !options.raw;
  if (prediction.probabilities) softmax_rows(prediction.outputs);
  WEFT_RETURN_IF_ERROR(write(options, std::move(prediction)));
  return std::string();
}

int run(const Options& options) {
  if (const std::string wrong = misfit(options); !wrong.empty()) return misused("predict", wrong);
  const Result<std::string> wrong = predict(options);
  if (!wrong.ok()) return failed("predict", wrong.status());
  return wrong->empty() ? kExitOk : misused("predict", *wrong);
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("predict", "Say what a trained model makes of rows, as CSV or .npy")->group("Train and check");
  command->add_option("MODEL", options->folder, "The folder that weft train --out wrote")->type_name("DIR")->required();
  add_row_options(*command, options->rows, /*judge=*/false);
  command->get_option("--data")->required();
  command->add_option("--out", options->out, "Write .csv or .npy instead of CSV to stdout")
      ->type_name("FILE")
      ->group("Output");
  command->add_flag("--outputs", options->all_outputs, "CSV of a classification: a column for each class too")
      ->group("Output");
  command->add_flag("--raw", options->raw, "Of a model trained for ce: its outputs as they are, not as probabilities")
      ->group("Output");
  add_mounting(*command, options->mounting, options->loss);
  command->footer(
      R"(Rows are read and scaled as those of the training were; they need no labels. CSV has a header and a line
for each row: its number from 0, its label if it has one, the class and its probability (softmax of the
outputs; trained for mse, or with --raw: the largest output). Of a regression: a column for each target, in
the units of the table.
.npy holds all outputs [rows, outputs] in float32, as probabilities where CSV has them. Files appear whole
or not at all, and replace none that is read.

Examples:
  weft predict run --data new.csv
  weft predict run --data new.csv.gz --outputs --out classes.csv
  weft predict run --data idx:images --out outputs.npy)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
