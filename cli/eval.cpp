// weft eval: how right a trained model is.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/option.h"
#include "cli/row_options.h"
#include "cli/trained_model.h"
#include "src/core/names.h"
#include "src/core/try.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 40;  // of classes or targets that are printed

struct Options {
  std::string folder;
  RowOptions rows;
  std::optional<Loss> loss;
  Mounting mounting;
  bool json = false;
};

struct ClassScore {
  std::int64_t rows = 0, predicted = 0, right = 0;  // of the class, given to it, both
};

struct TargetScore {
  double squares = 0.0;             // of the errors, summed
  double mean = 0.0, spread = 0.0;  // of the targets; squared differences from the mean, summed
  std::int64_t rows = 0;
  double mse() const { return squares / static_cast<double>(rows); }
  double rmse() const { return std::sqrt(mse()); }
  /// Nothing where all targets are the same.
  std::optional<double> r2() const { return spread > 0.0 ? std::optional(1.0 - squares / spread) : std::nullopt; }
};

struct Report {
  EvaluateResult result;
  std::vector<ClassScore> classes;
  std::vector<TargetScore> targets;  // in the units of the source
  double mse() const {
    double sum = 0.0;
    for (const TargetScore& target : targets) sum += target.mse();
    return sum / static_cast<double>(targets.size());
  }
};

std::vector<ClassScore> class_scores(const Tensor& outputs, const std::vector<std::int32_t>& labels) {
  const auto width = static_cast<std::size_t>(outputs.shape()[1]);
  std::vector<ClassScore> scores(width);
  const float* row = outputs.values<float>().data();
  for (const std::int32_t label : labels) {
    const auto predicted = static_cast<std::size_t>(std::max_element(row, row + width) - row);
    ++scores[predicted].predicted;
    ClassScore& own = scores[static_cast<std::size_t>(label)];
    ++own.rows;
    own.right += predicted == static_cast<std::size_t>(label) ? 1 : 0;
    row += width;
  }
  return scores;
}

std::vector<TargetScore> target_scores(const Tensor& outputs, const Tensor& targets) {
  const std::int64_t width = outputs.shape()[1];
  std::vector<TargetScore> scores(static_cast<std::size_t>(width));
  for (std::int64_t i = 0; i < outputs.elements(); ++i) {
    TargetScore& score = scores[static_cast<std::size_t>(i % width)];
    const double target = targets.at(i), error = outputs.at(i) - target, before = target - score.mean;
    score.squares += error * error;
    score.mean += before / static_cast<double>(++score.rows);
    score.spread += before * (target - score.mean);
  }
  return scores;
}

/// right / of, or nothing where there is nothing to divide by.
std::optional<double> share(std::int64_t right, std::int64_t of) {
  return of > 0 ? std::optional(static_cast<double>(right) / static_cast<double>(of)) : std::nullopt;
}

std::string in_percent(std::optional<double> share) { return share ? fmt::format("{:.2f}%", 100.0 * *share) : "-"; }

void print_classes(const std::vector<std::string>& names, const std::vector<ClassScore>& scores) {
  fmt::print("\n{:<38} {:>9} {:>9} {:>9} {:>10}\n", "class", "rows", "right", "recall", "precision");
  for (std::size_t i = 0; i < std::min(scores.size(), kMostLines); ++i) {
    const ClassScore& score = scores[i];
    fmt::print("{:<38.38} {:>9} {:>9} {:>9} {:>10}\n", printable(names[i]), score.rows, score.right,
               in_percent(share(score.right, score.rows)), in_percent(share(score.right, score.predicted)));
  }
  if (scores.size() > kMostLines) fmt::print("... {} more (--json prints all)\n", scores.size() - kMostLines);
}

void print_targets(const std::vector<std::string>& names, const std::vector<TargetScore>& scores) {
  fmt::print("\n{:<38} {:>23} {:>9}\n", "target", "root mean squared error", "R2");
  for (std::size_t i = 0; i < std::min(scores.size(), kMostLines); ++i) {
    const auto r2 = scores[i].r2();
    fmt::print("{:<38.38} {:>23.6g} {:>9}\n", printable(names[i]), scores[i].rmse(),
               r2 ? fmt::format("{:.4f}", *r2) : "-");
  }
  if (scores.size() > kMostLines) fmt::print("... {} more (--json prints all)\n", scores.size() - kMostLines);
}

void print_table(const Options& options, const TrainedModel& model, const ChosenRows& chosen, const Report& report) {
  const data::Preparation& preparation = model.preparation();
  fmt::print("{:<10} {}\n{:<10} {}\n{:<10} {}\n", "model", printable(options.folder), "source",
             printable(chosen.dataset.source), "part", to_string(chosen.part));
  if (chosen.dataset.dropped > 0) {
    fmt::print("{:<10} {} rows were left out: a value is missing\n", "note", chosen.dataset.dropped);
  }
  fmt::print("{:<10} {}\n{:<10} {:.6g} ({})\n", "samples", report.result.samples, "loss", report.result.loss,
             to_string(model.loss()));
  if (preparation.task == data::Task::kRegression) {
    fmt::print("{:<10} {:.6g} (in the units of the source)\n", "mse", report.mse());
    print_targets(model.output_names(), report.targets);
    return;
  }
  fmt::print("{:<10} {:.4f}\n", "accuracy", report.result.accuracy);
  print_classes(preparation.classes, report.classes);
}

Json or_null(std::optional<double> number) { return number ? Json(*number) : Json(); }

void print_json(const Options& options, const TrainedModel& model, const ChosenRows& chosen, const Report& report) {
  const data::Preparation& preparation = model.preparation();
  Json json{{"model", options.folder},          {"source", chosen.dataset.source},
            {"part", to_string(chosen.part)},   {"dropped", chosen.dataset.dropped},
            {"samples", report.result.samples}, {"loss_kind", to_string(model.loss())},
            {"loss", report.result.loss}};
  if (preparation.task == data::Task::kRegression) {
    const std::vector<std::string> names = model.output_names();
    json["mse"] = report.mse();
    for (std::size_t i = 0; i < report.targets.size(); ++i) {
      json["targets"].push_back(
          {{"name", names[i]}, {"rmse", report.targets[i].rmse()}, {"r2", or_null(report.targets[i].r2())}});
    }
  } else {
    json["accuracy"] = report.result.accuracy;
    for (std::size_t i = 0; i < report.classes.size(); ++i) {
      const ClassScore& score = report.classes[i];
      json["classes"].push_back({{"name", preparation.classes[i]},
                                 {"rows", score.rows},
                                 {"predicted", score.predicted},
                                 {"right", score.right},
                                 {"recall", or_null(share(score.right, score.rows))},
                                 {"precision", or_null(share(score.right, score.predicted))}});
    }
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// Why the flags do not go with the data, or nothing.
Result<std::string> evaluate(const Options& options) {
  WEFT_ASSIGN_OR_RETURN(TrainedModel model, TrainedModel::open(options.folder, options.loss, options.mounting));
  WEFT_ASSIGN_OR_RETURN(const ChosenRows chosen, choose_rows(options.rows, model.preparation(), /*judge=*/true));
  if (!chosen.misuse.empty()) return chosen.misuse;
  const bool regression = model.preparation().task == data::Task::kRegression;
  if (regression ? chosen.targets.empty() : chosen.samples.labels.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: rows without {}, wanted some to compare with (weft predict needs none)",
                              chosen.dataset.source, regression ? "targets" : "labels"));
  }
  WEFT_ASSIGN_OR_RETURN(Tensor outputs, model.outputs(chosen.samples.inputs));
  Report report;
  WEFT_ASSIGN_OR_RETURN(report.result, model.evaluate(chosen.samples));
  if (regression) {
    WEFT_RETURN_IF_ERROR(model.preparation().target_scaling.undo(outputs));
    report.targets = target_scores(outputs, chosen.targets);
  } else {
    report.classes = class_scores(outputs, chosen.samples.labels);
  }
  options.json ? print_json(options, model, chosen, report) : print_table(options, model, chosen, report);
  return std::string();
}

int run(const Options& options) {
  const Result<std::string> wrong = evaluate(options);
  if (!wrong.ok()) return failed("eval", wrong.status());
  return wrong->empty() ? kExitOk : misused("eval", *wrong);
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("eval", "Judge a trained model: loss, accuracy, a line for each class")
                          ->group("Train and check");
  command->add_option("MODEL", options->folder, "The folder that weft train --out wrote")->type_name("DIR")->required();
  add_row_options(*command, options->rows, /*judge=*/true);
  add_mounting(*command, options->mounting, options->loss);
  command->add_flag("--json", options->json, "Print JSON")->group("Output");
  command->footer(
      R"(Rows are read and scaled as those of the training were; labels are matched by class name. Without --data
the source of the training is read again and judged by its test part, drawn again. With --data all rows
count, of a source with a test part of its own (digits, fashion-mnist) that part. recall: right among the
rows of the class; precision: right among the rows that were given to it. Of a regression: the loss of the
scaled targets as weft train prints it, and in the units of the source the mean squared error, its root and
R2, the share of the spread that is explained.

Examples:
  weft eval run
  weft eval run --part validation --json
  weft eval run --data more.csv)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
