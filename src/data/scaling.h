// Scaling with messages that name columns, and rows of the source.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "weft/data.hpp"

namespace weft::data {

/// "feature 1 'age'", or "feature 1" where the data set has no names.
std::string feature_name(const Dataset& dataset, std::size_t feature);

/// Where a row stands: "csv: a.csv:7" by its line where that is known, else "idx: a: row 5".
std::string row_place(const Dataset& dataset, std::int64_t row);

/// How messages name the numbers of a tensor that is scaled.
struct CellNames {
  const Dataset* dataset = nullptr;         // null: by their places in the tensor
  std::span<const std::int64_t> rows = {};  // of the data set: those of the tensor
  bool targets = false;                     // the columns are targets, not features

  std::string column(std::size_t index) const;
  std::string cell(std::size_t row, std::size_t index) const;  // "csv: a.csv:7: feature 1 'age'"
  std::string place() const;                                   // what errors of the whole begin with
};

/// As the public functions.
Result<Scaling> fit_scaling(ScalingKind kind, const Tensor& numbers, bool alike, const CellNames& names);
Status apply_scaling(const Scaling& scaling, Tensor& numbers, const CellNames& names);

}  // namespace weft::data
