// weft data: what a data set or a file holds.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/data_options.h"
#include "src/core/names.h"
#include "weft/data.hpp"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 40;  // of features or classes that are printed
constexpr std::size_t kWidth = 80;

/// Words in lines of at most kWidth columns, the first behind the label.
void print_wrapped(const std::string& label, const std::vector<std::string>& words, const char* separator) {
  std::string line = fmt::format("{:<10} ", label);
  bool first = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = printable(words[i]) + (i + 1 < words.size() ? separator : "");
    if (!first && line.size() + 1 + word.size() > kWidth) {
      fmt::print("{}\n", line);
      line = std::string(11, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    first = false;
  }
  fmt::print("{}\n", line);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string shape_of(const data::Dataset& dataset) {
  const auto& axes = dataset.item.axes();
  const std::int64_t features = dataset.inputs.shape()[1];
  const std::string product = axes.size() > 1 ? fmt::format("{} = ", fmt::join(axes, " x ")) : "";
  return fmt::format("{}{} feature{}, {}", product, features, features == 1 ? "" : "s", dataset.type);
}

void print_features(const std::vector<data::FeatureSummary>& features, const char* what) {
  if (features.empty()) return;
  fmt::print("\n{:<21.21} {:<11} {:>7} {:>8} {:>8} {:>9} {:>10}\n", what, "type", "missing", "least", "largest", "mean",
             "deviation");
  for (std::size_t i = 0; i < std::min(features.size(), kMostLines); ++i) {
    const data::FeatureSummary& f = features[i];
    const std::string head = fmt::format("{:<21.21} {:<11.11} {:>7}", printable(f.name), f.type, f.missing);
    if (f.categories.empty()) {
      fmt::print("{} {:>8.4g} {:>8.4g} {:>9.4g} {:>10.4g}\n", head, f.least, f.largest, f.mean, f.deviation);
    } else {
      std::vector<std::string> names;
      for (const std::string& name : f.categories) names.push_back(printable(name));
      const std::string list = fmt::format("{}: {}", names.size(), fmt::join(names, ", "));
      fmt::print("{} {:.{}}\n", head, list, kWidth - 42);
    }
  }
  if (features.size() > kMostLines) fmt::print("... {} more (--json prints all)\n", features.size() - kMostLines);
}

void print_classes(const std::vector<data::ClassSummary>& classes, std::int64_t rows) {
  if (classes.empty()) return;
  fmt::print("\n{:<40} {:>9} {:>8}\n", "class", "rows", "share");
  for (std::size_t i = 0; i < std::min(classes.size(), kMostLines); ++i) {
    fmt::print("{:<40.40} {:>9} {:>7.2f}%\n", printable(classes[i].name), classes[i].rows,
               100.0 * static_cast<double>(classes[i].rows) / static_cast<double>(rows));
  }
  if (classes.size() > kMostLines) fmt::print("... {} more (--json prints all)\n", classes.size() - kMostLines);
}

std::string task_of(const data::Dataset& dataset) {
  if (dataset.labels.empty() && dataset.targets.empty()) return "none: there are no labels";
  if (dataset.task == data::Task::kRegression) {
    return fmt::format("regression, {} target{}", dataset.targets.shape()[1],
                       dataset.targets.shape()[1] == 1 ? "" : "s");
  }
  return fmt::format("classification, {} classes", dataset.classes.size());
}

void print_table(const data::Dataset& dataset, const data::Summary& summary) {
  print_wrapped("source", words_of(dataset.source), "");
  fmt::print("{:<10} {}{}\n", "rows", dataset.size(),
             dataset.test_rows > 0 ? fmt::format(", the last {} the source's own test part", dataset.test_rows) : "");
  fmt::print("{:<10} {}\n", "inputs", shape_of(dataset));
  fmt::print("{:<10} {}\n", "task", task_of(dataset));
  std::int64_t missing = 0;
  for (const auto& feature : summary.features) missing += feature.missing;
  fmt::print("{:<10} {} value{}\n", "missing", missing, missing == 1 ? "" : "s");
  for (const std::string& note : dataset.notes) print_wrapped("note", words_of(note), "");
  print_features(summary.features, "feature");
  print_features(summary.targets, "target");
  print_classes(summary.classes, dataset.size());
}

Json json_of(const std::vector<data::FeatureSummary>& features) {
  Json list = Json::array();
  for (const auto& f : features) {
    Json entry{{"name", f.name}, {"type", f.type}, {"missing", f.missing}};
    if (f.categories.empty()) {
      entry.update({{"least", f.least}, {"largest", f.largest}, {"mean", f.mean}, {"deviation", f.deviation}});
    } else {
      entry["categories"] = f.categories;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void print_json(const data::Dataset& dataset, const data::Summary& summary) {
  Json classes = Json::array();
  for (const auto& c : summary.classes) classes.push_back({{"name", c.name}, {"rows", c.rows}});
  const Json json{{"source", dataset.source},
                  {"rows", dataset.size()},
                  {"test_rows", dataset.test_rows},
                  {"dropped", dataset.dropped},
                  {"item", dataset.item.axes()},
                  {"inputs", dataset.inputs.shape()[1]},
                  {"type", dataset.type},
                  {"task", to_string(dataset.task)},
                  {"features", json_of(summary.features)},
                  {"targets", json_of(summary.targets)},
                  {"classes", classes},
                  {"notes", dataset.notes}};
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

struct Options {
  std::string source;
  data::ReadOptions read;
  bool json = false;
  const CLI::App* command = nullptr;  // knows which of the flags were given
};

int run(const Options& options) {
  const Result<data::Dataset> dataset = data::read(options.source, options.read);
  if (!dataset.ok()) return failed("data", with_flags(dataset.status()));
  const std::string wrong = without_effect(*options.command, quote(options.source), *dataset);
  if (!wrong.empty()) return misused("data", wrong);
  const data::Summary summary = summarise(*dataset);
  options.json ? print_json(*dataset, summary) : print_table(*dataset, summary);
  return kExitOk;
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  // Looking at a file, missing values are counted rather than refused.
  options->read.csv.missing = data::Missing::kMean;
  CLI::App* command =
      app.add_subcommand("data", "Say what a data set holds: shape, types, ranges, classes")->group("Look around");
  command->add_option("SOURCE", options->source, "A data set or a file")->type_name("SOURCE")->required();
  options->command = command;
  add_read_options(*command, options->read);
  command->add_flag("--json", options->json, "Print JSON")->group("Output");
  command->footer(
      R"(SOURCE is digits, fashion-mnist, csv:FILE, idx:IMAGES,LABELS, npy:X,Y, npz:FILE, or the path of a file, whose
content tells what it is. Files may be compressed with gzip. docs/data.md says how each is read.

Examples:
  weft data fashion-mnist
  weft data flowers.csv --label species
  weft data table.csv.gz --label 0 --delimiter ';' --json)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
