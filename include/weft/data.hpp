// Data sets: reading files, splitting and scaling rows of features with a label or a target each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/tensor.hpp"

namespace weft::data {

// ---- what training takes ----

/// Inputs [n, ...] and targets [n, ...]; for classification the targets are one-hot and labels has n entries.
struct Samples {
  Tensor inputs;
  Tensor targets;
  std::vector<std::int32_t> labels;  // empty for regression
  std::int64_t size() const { return inputs.shape().rank() == 0 ? 0 : inputs.shape()[0]; }
};

enum class ScalingKind : std::uint8_t {
  kNone,
  kUnit,         // to [0, 1]: least and largest value of the training part
  kStandardise,  // mean 0, standard deviation 1 (population) over the training part
};

std::string_view to_string(ScalingKind kind);  // "none", "unit", "standardise"
Result<ScalingKind> parse_scaling(std::string_view name);

/// Turns features as they were read into inputs: (x - offset) * factor, computed in double. `offset` and `factor` have
/// an entry per feature, one entry for all features, or none (x stays). A feature that is constant in the training
/// part has factor 1. `fill` holds what stands for a missing value (NaN), per feature; empty: nothing may be missing.
struct Scaling {
  ScalingKind kind = ScalingKind::kNone;
  std::vector<double> offset = {}, factor = {}, fill = {};

  /// Scales inputs [n, features] in place. Errors: kInvalidArgument where the widths differ, the tensor is a view or
  /// not float32, a value is missing without a fill, or a scaled value is not finite.
  Status apply(Tensor& inputs) const;
  /// The way back, in place: x / factor + offset, computed in double; fills stay. Errors: as apply.
  Status undo(Tensor& scaled) const;
  bool operator==(const Scaling&) const = default;
};

/// Fits to inputs [n, features] float32, the training part; missing values (NaN) are left out, and give `fill` the
/// feature's mean. `alike`: the features are of one kind (pixels) and share offset and factor.
/// Errors: kInvalidArgument (no rows, or a feature of which every value is missing).
Result<Scaling> fit_scaling(ScalingKind kind, const Tensor& inputs, bool alike);

/// JSON text and back, to keep with a model. Strict: errors are kInvalidArgument naming the path.
std::string to_json(const Scaling& scaling);
Result<Scaling> scaling_from_json(std::string_view text);

/// The parts of a data set, scaled. For each part the rows keep the order of the source.
struct Split {
  Samples train;
  Samples test;                      // no rows where no test part was asked for
  std::vector<std::string> classes;  // empty for regression
  Samples validation = {};           // no rows where none was asked for
  Scaling scaling = {};              // what was applied to all parts
  Scaling target_scaling = {};       // and to the targets of a regression
  std::uint64_t checksum = 0;        // of the rows as they were read
};

// ---- what the readers give ----

enum class Task : std::uint8_t { kClassification, kRegression };
std::string_view to_string(Task task);  // "classification", "regression"
Result<Task> parse_task(std::string_view name);

enum class ColumnKind : std::uint8_t { kNumeric, kCategorical };
enum class ColumnRole : std::uint8_t { kFeature, kLabel, kIgnored };

/// A column of a CSV file. Categories are sorted; for a label of a classification they are the labels as written.
struct Column {
  std::string name;  // of the header, or "column 3" counted from 0
  ColumnKind kind = ColumnKind::kNumeric;
  ColumnRole role = ColumnRole::kFeature;
  std::vector<std::string> categories;
  bool operator==(const Column&) const = default;
};

/// The columns of a CSV file, in its order: kept with a model, so that other files are read alike.
struct Schema {
  Task task = Task::kClassification;
  bool header = false;  // whether the file named its columns
  std::vector<Column> columns;
  bool operator==(const Schema&) const = default;
};

std::string to_json(const Schema& schema);
Result<Schema> schema_from_json(std::string_view text);

enum class Missing : std::uint8_t {
  kRefuse,   // an error
  kDropRow,  // the row is left out; Dataset::dropped counts
  kMean,     // NaN in Dataset::inputs; split() puts the mean of the training part there
};
std::string_view to_string(Missing missing);  // "refuse", "drop", "mean"
Result<Missing> parse_missing(std::string_view name);

/// How read() was asked, as far as reading other rows alike needs it beside the schema.
struct Reading {
  std::string source;                  // as it was given: "csv:flowers.csv"
  std::vector<std::string> files;      // that it names, as absolute paths; none of digits or fashion-mnist
  std::string folder;                  // of digits or fashion-mnist, absolute; empty: the usual places
  char delimiter = '\0';               // of a table; 0: found
  Missing missing = Missing::kRefuse;  // of a table
  std::string missing_text;            // of a table
  std::string inputs, targets;         // arrays of an npz; empty: the usual names
  bool operator==(const Reading&) const = default;
};

/// Rows as they were read, neither split nor scaled.
struct Dataset {
  std::string source;  // "csv: flowers.csv"
  std::string type;    // of the numbers in the source: "text", "uint8", "float64"
  Task task = Task::kClassification;
  Tensor inputs;                     // [n, features] float32; NaN where a value is missing (Missing::kMean alone)
  Shape item;                        // of one row in the source: [28, 28]; [features] for a table
  std::vector<std::int32_t> labels;  // [n], indices into classes; empty for regression, or where there are no labels
  std::vector<std::string> classes;
  Tensor targets;                     // [n, outputs] float32 for regression, else no rows
  std::vector<std::string> features;  // their names; "colour=red" for a category; empty where the source has none
  Schema schema;                      // of a table, else without columns
  bool alike = false;                 // features of one kind (pixels), which share one scaling
  std::int64_t test_rows = 0;         // the last rows are the source's own test part
  std::int64_t missing = 0;           // missing values in inputs
  std::int64_t dropped = 0;           // rows left out because a value was missing
  std::int64_t first_line = 0;        // of a table: row i stands in line first_line + i of the file; 0: in some other
  std::vector<std::string> notes;     // what the reader recognised and the user should know
  Reading reading;                    // filled by read() alone
  std::uint64_t memory = 0;           // bytes that the rows and their parts may take; 0: any. Filled by read() alone
  std::int64_t size() const { return inputs.shape().rank() == 0 ? 0 : inputs.shape()[0]; }
};

// ---- reading ----
// Every reader says in its errors the file, the line or field, the value seen and the value wanted: kNotFound, kIo,
// kDataLoss (a damaged file), kInvalidArgument (contents or options that cannot be used; a pipe, a device),
// kUnsupported (known, not read), kResourceExhausted (more than `memory`, with the sum). Files compressed with gzip are
// recognised by their content. Numbers read the same under any locale. `memory` is in bytes, 0 stands for half of the
// machine's: what reading and split_in_place take at any time, less than 64 MiB for working aside.

enum class Header : std::uint8_t { kDetect, kPresent, kAbsent };

/// A column is named by its name in the header or its index counted from 0; a name comes first.
struct CsvOptions {
  std::string label = "last";  // a column, "last", or empty: there is none
  Task task = Task::kClassification;
  std::int64_t classes = 0;            // labels are 0..classes-1; 0: the distinct labels, sorted, are the classes
  char delimiter = '\0';               // 0: comma, semicolon or tab, whichever splits the first lines evenly
  Header header = Header::kDetect;     // a first line with text above numbers is a header
  Missing missing = Missing::kRefuse;  // of fields that are empty or equal to missing_text
  std::string missing_text = {};       // "NA", "?"
  std::vector<std::string> categorical = {};  // columns that are categories though they may look like numbers
  std::vector<std::string> ignore = {};       // columns to leave out
  std::uint64_t memory = 0;
  std::optional<Schema> schema = {};  // read as that file was; the label's column may be absent
};

/// A table. Columns are numeric or, where the first 100 rows hold text, categorical: a feature for each category, 1
/// where the row has it. Also read: BOM, CRLF, quotes, a first line of scikit-learn's form (rows,features,class names).
Result<Dataset> csv(const std::filesystem::path& file, const CsvOptions& options = {});

struct ArrayOptions {
  Task task = Task::kClassification;
  std::int64_t classes = 0;  // as in CsvOptions
  std::uint64_t memory = 0;
  std::string inputs = {},
              targets = {};  // of npz: the arrays' names; empty: x and y, x_train and y_train, ... where clear
};

/// Images (any IDX array of n items) and their labels; `labels` empty: there are none.
Result<Dataset> idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                    const ArrayOptions& options = {});
/// Two .npy files: inputs [n, ...] and labels [n] (or targets [n] or [n, outputs]); `targets` empty: there are none.
Result<Dataset> npy(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                    const ArrayOptions& options = {});
/// An .npz file. With x_train, y_train, x_test and y_test the latter two become the source's own test part.
Result<Dataset> npz(const std::filesystem::path& file, const ArrayOptions& options = {});

/// Reads what a source names: "digits", "fashion-mnist", "csv:FILE", "idx:IMAGES,LABELS", "npy:X,Y", "npz:FILE", or a
/// file whose name or content tells its format. `folder`: where digits or fashion-mnist lie, empty for the usual
/// places. `files`: they stand in for those that the source names.
struct ReadOptions {
  CsvOptions csv = {};
  ArrayOptions array = {};
  std::filesystem::path folder = {};
  std::vector<std::filesystem::path> files = {};
};
Result<Dataset> read(std::string_view source, const ReadOptions& options = {});

// ---- splitting ----

struct SplitOptions {
  double validation = 0.0;          // share of the rows, less the source's own test part
  std::optional<double> test = {};  // share of the rows; unset: the source's own test part, or 0.2 where it has none
  std::uint64_t seed = 1;
  ScalingKind scaling = ScalingKind::kUnit;
  ScalingKind target_scaling = ScalingKind::kStandardise;  // of a regression; a target each
  bool operator==(const SplitOptions&) const = default;
};

/// Draws the parts, by class where there are labels: each part has a class's share to within one row, and the training
/// part has a row of each class. Missing values are filled and everything scaled by numbers of the training part alone.
/// The same seed gives the same parts. Errors: kInvalidArgument (shares, a part without rows, no labels or targets, a
/// test share for a source with its own test part).
Result<Split> split(const Dataset& dataset, const SplitOptions& options = {});
/// The same without a second copy of all rows: inputs, targets and labels move out of the data set, which keeps what
/// describes them. Errors also: kResourceExhausted where rows and parts need more than Dataset::memory.
Result<Split> split_in_place(Dataset& dataset, const SplitOptions& options = {});

// ---- looking ----

/// A feature, or a group of features, in numbers.
struct FeatureSummary {
  std::string name, type;  // "numeric", "categorical", or the source's type
  std::int64_t missing = 0;
  double least = 0.0, largest = 0.0, mean = 0.0, deviation = 0.0;  // of what is there
  std::vector<std::string> categories;
};
struct ClassSummary {
  std::string name;
  std::int64_t rows = 0;
};
struct Summary {
  std::vector<FeatureSummary> features;  // one for all where Dataset::alike
  std::vector<ClassSummary> classes;
  std::vector<FeatureSummary> targets;  // of a regression
};
Summary summarise(const Dataset& dataset);

// ---- data sets by name ----

/// Reads the 8x8 UCI digits (1797 rows, 64 features scaled from 0..16 to [0,1], 10 classes), each
/// fifth row for testing. `file` empty: the shipped data/digits.csv.gz, looked for in
/// $WEFT_DATA_DIR, the share folder beside the library, the installed one and the source tree.
/// Errors: kNotFound naming every place looked at; kDataLoss with file and line.
Result<Split> digits(const std::filesystem::path& file = {});

/// Reads Fashion-MNIST (28x28 grey images, 60,000 and 10,000 for testing, 10 classes), scaled from 0..255 to [0,1].
/// `folder` empty: $WEFT_DATA_DIR, $WEFT_DATA_DIR/fashion-mnist and the places of Debian's package
/// dataset-fashion-mnist. Errors: kNotFound naming the package and every place looked at.
Result<Split> fashion_mnist(const std::filesystem::path& folder = {});

}  // namespace weft::data
