// How data are read, as flags.
#include "cli/data_options.h"

#include <array>
#include <charconv>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/option.h"
#include "src/core/names.h"

namespace weft::cli {
namespace {

constexpr const char* kGroup = "Reading";
constexpr std::array<NameRow<data::Header>, 3> kHeaders{
    {{"detect", data::Header::kDetect}, {"yes", data::Header::kPresent}, {"no", data::Header::kAbsent}}};
constexpr std::array<NameRow<char>, 5> kDelimiters{
    {{"detect", '\0'}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"\\t", '\t'}}};

/// A value that `parse` takes, or the reason that it gives.
template <typename Use>
CLI::Option* add(CLI::App& command, const std::string& flag, Use use, const std::string& type,
                 const std::string& description) {
  const auto accept = [flag, use](const std::string& text) {
    if (const Status status = use(text); !status.ok())
      throw CLI::ValidationError(flag, std::string(without_noun(status.message())));
  };
  return command.add_option_function<std::string>(flag, accept, description)->type_name(type)->group(kGroup);
}

Status parse_delimiter(const std::string& text, char& delimiter) {
  for (const auto& row : kDelimiters) {
    if (row.spelling != text) continue;
    delimiter = row.value;
    return {};
  }
  if (text.size() != 1) {
    return {StatusCode::kInvalidArgument,
            fmt::format("seen {}, wanted one character, or comma, semicolon, tab or detect", quote(text))};
  }
  delimiter = text.front();
  return {};
}

/// "800M", "4G", a number of bytes.
Status parse_memory(const std::string& text, std::uint64_t& bytes) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (code != std::errc() || shift < 0 || number == 0 || number > (std::uint64_t{1} << 50 >> shift)) {
    return {StatusCode::kInvalidArgument, fmt::format("seen {}, wanted bytes as 800M or 4G", quote(text))};
  }
  bytes = number << shift;
  return {};
}

Status parse_arrays(const std::string& text, data::ArrayOptions& options) {
  const std::size_t comma = text.find(',');
  options.inputs = text.substr(0, comma);
  options.targets = comma == std::string::npos ? "" : text.substr(comma + 1);
  if (!options.inputs.empty()) return {};
  return {StatusCode::kInvalidArgument, fmt::format("seen {}, wanted names as X or X,Y", quote(text))};
}

void add_table_options(CLI::App& command, data::CsvOptions& csv) {
  add(
      command, "--label",
      [&csv](const std::string& text) {
        csv.label = text == "none" ? "" : text;
        return Status();
      },
      "COLUMN", "The label's column: its name, its index from 0, last, or none")
      ->default_str("last");
  add(
      command, "--delimiter", [&csv](const std::string& text) { return parse_delimiter(text, csv.delimiter); }, "CHAR",
      "Between fields: one character, comma, semicolon, tab or detect")
      ->default_str("detect");
  add(
      command, "--header",
      [&csv](const std::string& text) {
        auto parsed = parse_name<data::Header>("header", text, std::span<const NameRow<data::Header>>(kHeaders));
        if (parsed.ok()) csv.header = *parsed;
        return parsed.status();
      },
      "detect|yes|no", "Whether line 1 names the columns")
      ->default_str("detect");
  add_named<data::Missing>(command, "--missing", csv.missing, data::parse_missing, "refuse|drop|mean",
                           "Empty fields: an error, their rows left out, or the training part's mean")
      ->group(kGroup);
  command.add_option("--missing-text", csv.missing_text, "What stands for a missing value beside the empty field")
      ->type_name("TEXT")
      ->group(kGroup);
}

/// Which columns are what, labels or targets: a trained model knows.
void add_column_options(CLI::App& command, data::CsvOptions& csv) {
  command.add_option("--categorical", csv.categorical, "Columns that are categories though they look like numbers")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->group(kGroup);
  command.add_option("--ignore", csv.ignore, "Columns to leave out")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->group(kGroup);
}

void add_task_options(CLI::App& command, data::ReadOptions& options) {
  add(
      command, "--task",
      [&options](const std::string& text) {
        auto parsed = data::parse_task(text);
        if (parsed.ok()) options.csv.task = options.array.task = *parsed;
        return parsed.status();
      },
      "classification|regression", "Labels of classes, or numbers to learn")
      ->default_str("classification");
  add(
      command, "--classes",
      [&options](const std::string& text) {
        std::int64_t number = 0;
        const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (code != std::errc() || stop != text.data() + text.size() || number < 2) {
          return Status(StatusCode::kInvalidArgument,
                        fmt::format("seen {}, wanted a whole number from 2 on", quote(text)));
        }
        options.csv.classes = options.array.classes = number;
        return Status();
      },
      "N", "Labels are 0 to N-1; without it the labels that appear are the classes");
}

void add_place_options(CLI::App& command, data::ReadOptions& options) {
  add(
      command, "--arrays", [&options](const std::string& text) { return parse_arrays(text, options.array); }, "X,Y",
      "Of npz: the names of the inputs and the labels");
  add(
      command, "--data-dir",
      [&options](const std::string& text) {
        options.folder = text;
        return text.empty() ? Status(StatusCode::kInvalidArgument, "seen '', wanted a folder") : Status();
      },
      "DIR", "Where the files of digits or fashion-mnist lie");
  add(
      command, "--memory",
      [&options](const std::string& text) {
        const Status status = parse_memory(text, options.csv.memory);
        options.array.memory = options.csv.memory;
        return status;
      },
      "BYTES", "Refuse data that need more, as 800M or 4G; half of the machine's without it");
}

}  // namespace

void add_read_options(CLI::App& command, data::ReadOptions& options) {
  add_table_options(command, options.csv);
  add_column_options(command, options.csv);
  add_task_options(command, options);
  add_place_options(command, options);
}

void add_alike_options(CLI::App& command, data::ReadOptions& options) {
  add_table_options(command, options.csv);
  add_place_options(command, options);
  command.get_option("--label")->description("As weft data, where the model was not trained on a table");
  for (const char* flag : {"--delimiter", "--header", "--missing"}) command.get_option(flag)->default_str("as trained");
}

std::string without_effect(const std::function<bool(const char* flag)>& given, std::string_view data,
                           const data::Dataset& dataset) {
  const bool named = dataset.reading.files.empty(), table = !dataset.schema.columns.empty();
  struct Rule {
    bool holds;
    const char* wanted;
    std::vector<const char*> flags;
  };
  const Rule rules[] = {
      {named, "a file", {"--task", "--classes"}},
      {!named, "digits or fashion-mnist", {"--data-dir"}},
      {!table,
       "a table",
       {"--label", "--delimiter", "--header", "--missing", "--missing-text", "--categorical", "--ignore"}},
      {!dataset.source.starts_with("npz: "), "npz:FILE", {"--arrays"}}};
  for (const Rule& rule : rules) {
    if (!rule.holds) continue;
    for (const char* flag : rule.flags) {
      if (given(flag)) return fmt::format("{}: has no effect with {}, wanted {}", flag, data, rule.wanted);
    }
  }
  return {};
}

std::string without_effect(const CLI::App& command, std::string_view data, const data::Dataset& dataset) {
  const auto given = [&](const char* flag) {
    const CLI::Option* option = command.get_option_no_throw(flag);
    return option != nullptr && option->count() > 0;
  };
  return without_effect(given, data, dataset);
}

Status with_flags(const Status& status) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"the missing option", "--missing"},
      {"the memory option", "--memory"},
      {"the classes option", "--classes"},
      {"The header option", "--header"},
      {"the header option", "--header"},
      {"as missing_text, or the column as categorical, would",
       "as --missing-text, or the column as --categorical, would"},
      {"say that the label is none", "say --label none"},
      {"or names for inputs and targets", "or names with --arrays"}};
  std::string message = status.message();
  for (const auto& [option, flag] : kNames) {
    if (const std::size_t at = message.find(option); at != std::string::npos) message.replace(at, option.size(), flag);
  }
  return {status.code(), message};
}

data::ReadOptions alike_options(const CLI::App& command, const data::ReadOptions& given,
                                const data::ReadOptions& trained) {
  const auto seen = [&](const char* flag) { return command.count(flag) > 0; };
  data::ReadOptions options = trained;
  if (seen("--label")) options.csv.label = given.csv.label;
  if (seen("--delimiter")) options.csv.delimiter = given.csv.delimiter;
  if (seen("--header")) options.csv.header = given.csv.header;
  if (seen("--missing")) options.csv.missing = given.csv.missing;
  if (seen("--missing-text")) options.csv.missing_text = given.csv.missing_text;
  if (seen("--arrays")) {
    options.array.inputs = given.array.inputs;
    options.array.targets = given.array.targets;
  }
  if (seen("--data-dir")) options.folder = given.folder;
  options.csv.memory = given.csv.memory;
  options.array.memory = given.array.memory;
  return options;
}

}  // namespace weft::cli
