// TrainingData: what weft train learns from, read, split and scaled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/train_options.h"
#include "weft/dtype.hpp"
#include "weft/preparation.hpp"

namespace weft::cli {

struct TrainingData {
  data::Split parts;
  data::Preparation preparation;   // how they came about
  std::vector<std::string> notes;  // of the reader
  std::string misuse;              // why flags do not go with these data, or nothing; then there are no parts

  std::int64_t features() const { return parts.train.inputs.shape().features(); }
  std::int64_t outputs() const { return parts.train.targets.shape().features(); }
  /// The numbers of all parts as a model of that type wants them.
  void convert(DType dtype);
};

/// Errors: as data::read and data::split; kInvalidArgument where there is nothing to tell apart.
Result<TrainingData> load_training_data(const TrainingOptions& options);

}  // namespace weft::cli
