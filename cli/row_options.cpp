// Reading rows for a trained model.
#include "cli/row_options.h"

#include <utility>

#include <fmt/format.h>

#include "cli/data_options.h"
#include "src/core/names.h"
#include "src/core/try.h"

namespace weft::cli {
namespace {

bool has_test_part(const data::Preparation& preparation) {
  return preparation.test_rows > 0 || preparation.split.test.value_or(1.0) > 0.0;
}

Status check_part(data::Part part, bool own, const data::Dataset& dataset, const RowOptions& options,
                  const data::Preparation& preparation) {
  if (own || part == data::Part::kAll || (part == data::Part::kTest && dataset.test_rows > 0)) return {};
  return {StatusCode::kInvalidArgument,
          fmt::format("--part {}: {} is not what the model was trained on ({}), wanted all", to_string(part),
                      quote(options.source), quote(preparation.reading.source))};
}

Status check_label(const RowOptions& options, const data::Preparation& preparation) {
  if (options.command->count("--label") == 0 || preparation.schema.columns.empty()) return {};
  return {StatusCode::kInvalidArgument,
          fmt::format("--label: seen {}, wanted none: the table that the model was trained on says which column it is",
                      quote(options.read.csv.label))};
}

/// Those of the samples, as they were read.
Tensor targets_of(const data::Dataset& dataset, const std::vector<std::int64_t>& rows) {
  if (dataset.targets.shape().rank() != 2) return {};
  const std::int64_t width = dataset.targets.shape()[1];
  std::vector<float> values;
  values.reserve(rows.size() * static_cast<std::size_t>(width));
  for (const std::int64_t row : rows) {
    const auto targets =
        dataset.targets.values<float>().subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
    values.insert(values.end(), targets.begin(), targets.end());
  }
  return {Shape{static_cast<std::int64_t>(rows.size()), width}, std::move(values)};
}

/// The file of the training may have moved.
Status explain(const Status& status, bool named) {
  if (named || status.code() != StatusCode::kNotFound) return status;
  return {status.code(), status.message() + "; the model was trained on it, --data names other rows"};
}

}  // namespace

void add_row_options(CLI::App& command, RowOptions& options, bool judge) {
  options.command = &command;
  command.add_option("--data", options.source, "The rows: a data set or a file (see weft data)")->type_name("SOURCE");
  const auto accept = [&options](const std::string& text) {
    const auto part = data::parse_part(text);
    if (!part.ok()) throw CLI::ValidationError("--part", std::string(without_noun(part.status().message())));
    options.part = *part;
  };
  command
      .add_option_function<std::string>("--part", accept,
                                        judge ? "Of the source that was trained on, drawn again"
                                              : "Where --data is the source that was trained on: a part, drawn again")
      ->type_name("all|train|validation|test")
      ->default_str(judge ? "test; all of other rows" : "all");
  add_alike_options(command, options.read);
}

Result<ChosenRows> choose_rows(const RowOptions& options, const data::Preparation& preparation, bool judge) {
  const bool named = !options.source.empty();
  WEFT_RETURN_IF_ERROR(check_label(options, preparation));
  const data::ReadOptions alike = alike_options(*options.command, options.read, read_options(preparation));
  auto dataset = named ? data::read_alike(options.source, preparation, alike) : data::read_again(preparation, alike);
  if (!dataset.ok()) return with_flags(explain(dataset.status(), named));
  const bool own = data::same_source(dataset->reading, preparation.reading);
  ChosenRows chosen;
  const std::string data = fmt::format("--data {}", quote(named ? options.source : preparation.reading.source));
  chosen.misuse = without_effect(*options.command, data, *dataset);
  if (!chosen.misuse.empty()) return chosen;
  const bool test = judge && (own ? has_test_part(preparation) : dataset->test_rows > 0);
  chosen.part = options.part.value_or(test ? data::Part::kTest : data::Part::kAll);
  WEFT_RETURN_IF_ERROR(check_part(chosen.part, own, *dataset, options, preparation));
  WEFT_ASSIGN_OR_RETURN(chosen.rows, data::rows_of(*dataset, preparation, chosen.part));
  auto samples = data::prepare_part(*dataset, preparation, chosen.part);
  if (!samples.ok()) return with_flags(samples.status());
  chosen.samples = *std::move(samples);
  chosen.targets = targets_of(*dataset, chosen.rows);
  chosen.dataset = *std::move(dataset);
  chosen.dataset.inputs = chosen.dataset.targets = Tensor();
  return chosen;
}

}  // namespace weft::cli
