// Parts filled and scaled.
#include <fmt/format.h>

#include <utility>

#include "src/core/try.h"
#include "src/data/checksum.h"
#include "src/data/memory.h"
#include "src/data/parts.h"
#include "src/data/scaling.h"

namespace weft::data {
namespace {

// Of a row in the lists of rows, and of its label in the data set and in its part.
constexpr std::int64_t kRowBytes = 24;

// All rows, those of validation and test once more, the targets of the classes.
Status check_parts(const Dataset& dataset, const Parts& parts) {
  if (dataset.memory == 0) return Status();
  const bool regression = dataset.targets.shape().rank() == 2;
  const std::int64_t features = dataset.inputs.shape()[1];
  const auto outputs = regression ? dataset.targets.shape()[1] : static_cast<std::int64_t>(dataset.classes.size());
  const auto copied = static_cast<std::int64_t>(parts.validation.size() + parts.test.size());
  const auto bytes = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(float);
  };
  const double sum = bytes(dataset.size(), features + outputs) + bytes(copied, features + (regression ? outputs : 0)) +
                     static_cast<double>(dataset.size() * kRowBytes);
  if (sum <= static_cast<double>(dataset.memory)) return Status();
  return Status(StatusCode::kResourceExhausted,
                fmt::format("split: {} rows x {} features x 4 bytes, {} of them copied for validation and test, and {} "
                            "targets each = {:.4g} GB of memory, wanted at most {}",
                            dataset.size(), features, copied, outputs, sum / 1e9, budget_text(dataset.memory)));
}

Status scale(const Scaling& scaling, Tensor Samples::*numbers, CellNames names, const Parts& parts, Split& result) {
  for (const auto& [samples, rows] :
       {std::pair(&result.train, &parts.train), std::pair(&result.validation, &parts.validation),
        std::pair(&result.test, &parts.test)}) {
    names.rows = *rows;
    if (samples->size() > 0) WEFT_RETURN_IF_ERROR(apply_scaling(scaling, samples->*numbers, names));
  }
  return Status();
}

}  // namespace

Result<Split> split_in_place(Dataset& dataset, const SplitOptions& options) {
  WEFT_ASSIGN_OR_RETURN(const Parts parts, draw_parts(dataset, dataset.labels, dataset.classes.size(), options));
  WEFT_RETURN_IF_ERROR(check_parts(dataset, parts));
  Split result;
  result.classes = dataset.classes;
  result.checksum = checksum_of(dataset, dataset.labels);
  const RowSource source{dataset, dataset.labels, static_cast<std::int64_t>(dataset.classes.size())};
  result.validation = samples_of(source, parts.validation);
  result.test = samples_of(source, parts.test);
  result.train = take_samples(dataset, parts.train);
  const bool regression = dataset.task == Task::kRegression;
  const CellNames names{.dataset = &dataset}, target_names{.dataset = &dataset, .targets = true};
  WEFT_ASSIGN_OR_RETURN(result.scaling, fit_scaling(options.scaling, result.train.inputs, dataset.alike, names));
  WEFT_RETURN_IF_ERROR(scale(result.scaling, &Samples::inputs, names, parts, result));
  if (!regression) return result;
  WEFT_ASSIGN_OR_RETURN(result.target_scaling,
                        fit_scaling(options.target_scaling, result.train.targets, false, target_names));
  WEFT_RETURN_IF_ERROR(scale(result.target_scaling, &Samples::targets, target_names, parts, result));
  return result;
}

Result<Split> split(const Dataset& dataset, const SplitOptions& options) {
  Dataset copy = dataset;
  copy.memory = 0;  // it holds for split_in_place
  return split_in_place(copy, options);
}

}  // namespace weft::data
