// Prediction: what a trained model says of rows, as CSV text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data.hpp"
#include "weft/tensor.hpp"

namespace weft::cli {

struct Prediction {
  data::Task task = data::Task::kClassification;
  std::vector<std::string> names;   // of the outputs: classes or targets
  std::vector<std::string> labels;  // of the rows, as text; empty where there are none
  Tensor targets;                   // [n, outputs] of a regression; no rows where there are none
  std::vector<std::int64_t> rows;   // their numbers in the source, from 0
  Tensor outputs;                   // [n, outputs] float32
  bool probabilities = false;       // the outputs are
};

/// Each row of outputs [n, classes] as probabilities: exp(z - max) over their sum, computed in double.
void softmax_rows(Tensor& outputs);

/// A field as RFC 4180 has it: in quotes where it holds a comma, a quote or a line end, or blanks at its ends.
std::string csv_field(std::string_view text);

/// A header and a line per row, numbers in their shortest form that reads back the same float32. Of a classification
/// row, label (where there are labels), class, probability or output; `all_outputs`: and a column per class. Of a
/// regression row, label, and a column per target.
std::string to_csv(const Prediction& prediction, bool all_outputs);

}  // namespace weft::cli
