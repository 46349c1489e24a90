// RowOptions: which rows a trained model is to look at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "weft/data.hpp"
#include "weft/preparation.hpp"

namespace weft::cli {

struct RowOptions {
  std::string source;  // empty: that of the training
  std::optional<data::Part> part;
  data::ReadOptions read;
  const CLI::App* command = nullptr;  // knows which of the flags were given
};

/// --data, --part and what add_alike_options adds. `options` outlives the command. `judge`: as in choose_rows.
void add_row_options(CLI::App& command, RowOptions& options, bool judge);

struct ChosenRows {
  data::Dataset dataset;  // without its inputs and targets, which samples hold
  data::Part part = data::Part::kAll;
  std::vector<std::int64_t> rows;  // of the samples in the dataset, from 0
  data::Samples samples;
  Tensor targets;      // of a regression, where the rows have some: as they were read, not scaled
  std::string misuse;  // why flags do not go with these data, or nothing; then there are no samples
};

/// Reads and prepares. Without --part: for `judge` the test part of a source that has one or that was trained on, else
/// all rows. Errors: as read_alike and prepare_part; kInvalidArgument for a part of a source that was not trained on.
Result<ChosenRows> choose_rows(const RowOptions& options, const data::Preparation& preparation, bool judge);

}  // namespace weft::cli
