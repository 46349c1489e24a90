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

/// What is wrong with --out, or nothing: told before anything is read.
std::string misfit(const std::string& out) {
  const std::string extension = lower_case(std::filesystem::path(out).extension().string());
  if (out.empty() || extension == ".csv" || extension == ".npy") return {};
  return fmt::format("--out: seen {}, wanted a file that ends in .csv or .npy", quote(out));
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
  if (lower_case(std::filesystem::path(options.out).extension().string()) == ".npy") {
    const Tensor& outputs = prediction.outputs;
    WEFT_RETURN_IF_ERROR(data::write_npy(options.out, outputs.values<float>(), outputs.shape().axes()));
  } else {
    const std::string text = to_csv(prediction, options.all_outputs);
    WEFT_RETURN_IF_ERROR(write_file_atomically(options.out, text.data(), text.size()));
  }
  fmt::print("rows={} out={}\n", prediction.rows.size(), printable(options.out));
  return {};
}

Status predict(const Options& options) {
  WEFT_ASSIGN_OR_RETURN(TrainedModel model, TrainedModel::open(options.folder, options.loss, options.mounting));
  WEFT_ASSIGN_OR_RETURN(ChosenRows chosen, choose_rows(options.rows, model.preparation(), /*judge=*/false));
  if (chosen.dataset.dropped > 0) {
    fmt::print(stderr, "weft predict: {} rows were left out, a value is missing; row counts those that were kept\n",
               chosen.dataset.dropped);
  }
  Prediction prediction;
  prediction.task = model.preparation().task;
  prediction.names = model.output_names();
  prediction.rows = std::move(chosen.rows);
  for (const std::int32_t label : chosen.samples.labels) {
    prediction.labels.push_back(prediction.names[static_cast<std::size_t>(label)]);
  }
  if (chosen.dataset.targets.shape().rank() == 2) prediction.targets = std::move(chosen.samples.targets);
  WEFT_ASSIGN_OR_RETURN(prediction.outputs, model.outputs(chosen.samples.inputs));
  prediction.probabilities =
      prediction.task == data::Task::kClassification && model.loss() == Loss::kCrossEntropy && !options.raw;
  if (prediction.probabilities) softmax_rows(prediction.outputs);
  return write(options, std::move(prediction));
}

int run(const Options& options) {
  if (const std::string wrong = misfit(options.out); !wrong.empty()) return misused("predict", wrong);
  const Status status = predict(options);
  return status.ok() ? kExitOk : failed("predict", status);
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("predict", "Say what a trained model makes of rows, as CSV or .npy")->group("Train and check");
  command->add_option("MODEL", options->folder, "The folder that weft train --out wrote")->type_name("DIR")->required();
  add_row_options(*command, options->rows);
  command->get_option("--data")->required();
  command->add_option("--out", options->out, "Write .csv or .npy instead of CSV to stdout")
      ->type_name("FILE")
      ->group("Output");
  command->add_flag("--outputs", options->all_outputs, "CSV: a column for each class too")->group("Output");
  command->add_flag("--raw", options->raw, "The model's outputs as they are, not as probabilities")->group("Output");
  add_mounting(*command, options->mounting, options->loss);
  command->footer(
      R"(Rows are read and scaled as those of the training were; they need no labels. CSV has a header and a line
for each row: its number from 0, its label if it has one, the class and its probability (softmax of the
outputs; trained for mse, or with --raw: the largest output). Of a regression: a column for each target.
.npy holds all outputs [rows, outputs] in float32, as probabilities where CSV has them. Files appear whole
or not at all.

Examples:
  weft predict run --data new.csv
  weft predict run --data new.csv.gz --outputs --out classes.csv
  weft predict run --data idx:images --out outputs.npy)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
