// Preparation: how rows became what a model was trained on. Kept with the model, so that other rows are read alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data.hpp"

namespace weft::data {

struct Preparation {
  Reading reading;  // its source names the data of the training
  Task task = Task::kClassification;
  Shape item;                        // of one row in the source: [28, 28]; [features] for a table
  std::vector<std::string> classes;  // in the order of the model's outputs; empty for regression
  std::int64_t outputs = 0;          // of the model: classes, or targets of a regression
  Scaling scaling;
  Scaling target_scaling;  // of a regression, else of the kind none
  Schema schema;           // of a table, else without columns

  // How the parts were drawn, so that the same parts can be drawn again.
  std::int64_t rows = 0, test_rows = 0;
  std::uint64_t checksum = 0;  // of inputs, labels and targets as they were read
  SplitOptions split;

  bool operator==(const Preparation&) const = default;
};

/// What `split(dataset, options)` did to `dataset`, `parts` being its result. Of the data set only what describes the
/// rows counts, which split_in_place leaves.
Preparation preparation_of(const Dataset& dataset, const SplitOptions& options, const Split& parts);

/// JSON text and back. Strict: errors are kInvalidArgument naming the path.
std::string to_json(const Preparation& preparation);
Result<Preparation> preparation_from_json(std::string_view text);

/// data.json in the folder of a model, written to a temporary, synced, renamed.
Status save_preparation(const Preparation& preparation, const std::filesystem::path& folder);
/// Errors: kNotFound, kIo, kInvalidArgument, naming file and field.
Result<Preparation> load_preparation(const std::filesystem::path& folder);

/// The options that the training's source was read with, to read it again or other rows alike.
ReadOptions read_options(const Preparation& preparation);

/// Whether both were read from one source: the same files, however they are spelt, or the same name.
bool same_source(const Reading& a, const Reading& b);

/// Reads rows as those of the training were read: the same columns, kinds and categories; the label's column and the
/// labels' file may be absent. `options` stand in for read_options(preparation); their schema, task, label and classes
/// do not count where the training's source was a table.
/// Errors: as read; kInvalidArgument where the rows do not fit what the model learned from.
Result<Dataset> read_alike(std::string_view source, const Preparation& preparation, const ReadOptions& options);
Result<Dataset> read_alike(std::string_view source, const Preparation& preparation);
/// The source of the training again, from whatever folder: its files are recorded as absolute paths.
Result<Dataset> read_again(const Preparation& preparation, ReadOptions options);
Result<Dataset> read_again(const Preparation& preparation);

/// Rows as samples: filled and scaled with the training's numbers, labels in the order of the model's classes. Classes
/// are found by name; where the model's have other names than numbers, labels 0 to classes-1 are their places. Rows
/// without labels have targets of zeros and no labels. Errors: kInvalidArgument (a class that the model does not know,
/// another number of features, a value missing without a fill), naming row or line and value. Rows count from 0.
Result<Samples> prepare(const Dataset& dataset, const Preparation& preparation);

/// A part of the source the model was trained on, drawn again; kTest of another source with a test part of its own is
/// that part.
enum class Part : std::uint8_t { kAll, kTrain, kValidation, kTest };
std::string_view to_string(Part part);  // "all", "train", "validation", "test"
Result<Part> parse_part(std::string_view name);
/// As prepare, of one part. Errors: kInvalidArgument also where the number of rows or their checksum is not that of the
/// training's source, there are no labels, or the part has no rows. kAll is prepare.
Result<Samples> prepare_part(const Dataset& dataset, const Preparation& preparation, Part part);
/// The rows of the part in the dataset, from 0. Errors as prepare_part.
Result<std::vector<std::int64_t>> rows_of(const Dataset& dataset, const Preparation& preparation, Part part);

}  // namespace weft::data
