// Parts: which rows of a data set are for training, validation and testing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/data.hpp"

namespace weft::data {

using RowNumbers = std::vector<std::int64_t>;

struct Parts {
  RowNumbers train, validation, test;  // each in the order of the source
};

/// Draws the parts by class. `labels` are those of the dataset, perhaps in another numbering; empty for a regression.
/// The same rows, labels and options give the same parts. Errors: as split().
Result<Parts> draw_parts(const Dataset& dataset, std::span<const std::int32_t> labels, std::size_t classes,
                         const SplitOptions& options);

/// What samples are made from: a data set and its labels in the numbering of the model, empty where there are none.
struct RowSource {
  const Dataset& dataset;
  std::span<const std::int32_t> labels;
  std::int64_t outputs = 0;  // columns of the targets
};

/// The rows as samples, not scaled; without labels and targets the targets are zeros.
Samples samples_of(const RowSource& source, const RowNumbers& rows);

/// The same of rows in ascending order, in the memory of the data set, whose inputs, targets and labels are gone then.
Samples take_samples(Dataset& dataset, const RowNumbers& rows);

}  // namespace weft::data
