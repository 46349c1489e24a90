// Reading rows for a trained model.
#include "cli/row_options.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/data_options.h"
#include "src/core/names.h"
#include "src/core/try.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// Whether both name the same data: as texts, or as one file under two spellings.
bool same_source(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto bare = [](std::string_view source) {
    for (const std::string_view scheme : {"csv:", "npz:", "npy:", "idx:"}) {
      if (source.starts_with(scheme)) return source.substr(scheme.size());
    }
    return source;
  };
  const auto same_file = [](std::string_view one, std::string_view other) {
    std::error_code error;
    return fs::equivalent(fs::path(one), fs::path(other), error) && !error;
  };
  a = bare(a);
  b = bare(b);
  if (same_file(a, b)) return true;
  const std::size_t first = a.find(','), second = b.find(',');
  if (first == std::string_view::npos || second == std::string_view::npos) return false;
  return same_file(a.substr(0, first), b.substr(0, second)) && same_file(a.substr(first + 1), b.substr(second + 1));
}

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

/// The file of the training may have moved.
Status explain(const Status& status, bool named) {
  if (named || status.code() != StatusCode::kNotFound) return status;
  return {status.code(), status.message() + "; the model was trained on it, --data names other rows"};
}

}  // namespace

void add_row_options(CLI::App& command, RowOptions& options) {
  options.command = &command;
  command.add_option("--data", options.source, "The rows: a data set or a file (see weft data)")->type_name("SOURCE");
  const auto accept = [&options](const std::string& text) {
    const auto part = data::parse_part(text);
    if (!part.ok()) throw CLI::ValidationError("--part", std::string(without_noun(part.status().message())));
    options.part = *part;
  };
  command
      .add_option_function<std::string>("--part", accept, "Of the source that the model was trained on, drawn again")
      ->type_name("all|train|validation|test");
  add_alike_options(command, options.read);
}

Result<ChosenRows> choose_rows(const RowOptions& options, const data::Preparation& preparation, bool judge) {
  const bool named = !options.source.empty();
  const bool own = !named || same_source(options.source, preparation.reading.source);
  WEFT_RETURN_IF_ERROR(check_label(options, preparation));
  auto dataset = data::read_alike(named ? options.source : preparation.reading.source, preparation,
                                  alike_options(*options.command, options.read, read_options(preparation)));
  if (!dataset.ok()) return explain(dataset.status(), named);
  if (own) dataset->reading.source = preparation.reading.source;  // however it is spelt
  ChosenRows chosen;
  const bool test = judge && (own ? has_test_part(preparation) : dataset->test_rows > 0);
  chosen.part = options.part.value_or(test ? data::Part::kTest : data::Part::kAll);
  WEFT_RETURN_IF_ERROR(check_part(chosen.part, own, *dataset, options, preparation));
  WEFT_ASSIGN_OR_RETURN(chosen.rows, data::rows_of(*dataset, preparation, chosen.part));
  WEFT_ASSIGN_OR_RETURN(chosen.samples, data::prepare_part(*dataset, preparation, chosen.part));
  chosen.dataset = *std::move(dataset);
  chosen.dataset.inputs = Tensor();
  return chosen;
}

}  // namespace weft::cli
