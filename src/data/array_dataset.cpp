// Data sets from arrays: inputs [n, ...], labels [n], targets [n, outputs].
#include <fmt/format.h>

#include <utility>

#include "src/core/try.h"
#include "src/data/array.h"
#include "src/data/labels.h"
#include "src/data/memory.h"

namespace weft::data {
namespace {

std::string shape_of(const Array& array) { return fmt::format("shape [{}]", fmt::join(array.shape, ", ")); }

std::int64_t features_of(const Array& array) { return array.elements() / array.shape[0]; }

Status check_inputs(const Array& inputs, std::uint64_t memory) {
  if (inputs.shape.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: a single number, wanted shape [rows, ...]", inputs.place));
  }
  return check_memory(inputs.place, inputs.shape[0], features_of(inputs), memory_budget(memory), false);
}

Status check_rows(const Array& inputs, const Array& targets) {
  if (targets.shape.empty() || targets.shape[0] != inputs.shape[0]) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}, wanted {} rows as {} has", targets.place,
                                                            shape_of(targets), inputs.shape[0], inputs.place));
  }
  return Status();
}

// Labels may come as [n] or [n, 1].
Result<std::vector<double>> read_labels(const Array& targets, std::int64_t classes) {
  if (features_of(targets) != 1) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: {}, wanted labels of shape [{}] (numbers to learn are a regression)", targets.place,
                              shape_of(targets), targets.shape[0]));
  }
  WEFT_ASSIGN_OR_RETURN(std::vector<double> numbers, to_doubles(targets));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (const std::string wrong = label_fault(numbers[i], classes); !wrong.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: row {}: {}, {}", targets.place, i, numbers[i], wrong));
    }
  }
  return numbers;
}

struct Targets {
  std::vector<double> labels;
  std::vector<float> values;
  std::int64_t outputs = 0;
};

Status add_targets(const Array& targets, const ArrayOptions& options, Targets& all) {
  if (options.task == Task::kClassification) {
    WEFT_ASSIGN_OR_RETURN(const auto labels, read_labels(targets, options.classes));
    all.labels.insert(all.labels.end(), labels.begin(), labels.end());
    return Status();
  }
  all.outputs = features_of(targets);
  WEFT_ASSIGN_OR_RETURN(const auto values, to_floats(targets));
  all.values.insert(all.values.end(), values.begin(), values.end());
  return Status();
}

// Puts together what was read; `place` names the labels in messages.
Status finish(std::vector<float> values, std::int64_t rows, Targets targets, const ArrayOptions& options,
              std::string_view place, Dataset& dataset) {
  dataset.task = options.task;
  const Shape shape{rows, static_cast<std::int64_t>(values.size()) / rows};
  dataset.inputs = Tensor(shape, std::move(values));
  if (!targets.labels.empty()) return encode_labels(targets.labels, options.classes, place, dataset);
  if (targets.outputs > 0) dataset.targets = Tensor(Shape{rows, targets.outputs}, std::move(targets.values));
  return Status();
}

Dataset described(const Array& inputs) {
  Dataset dataset;
  dataset.source = inputs.place;
  dataset.type = to_string(inputs.type);
  dataset.item = inputs.shape.size() > 1
                     ? Shape(std::vector<std::int64_t>(inputs.shape.begin() + 1, inputs.shape.end()))
                     : Shape{1};
  // Bytes, and rows that are more than a list, are pixels and the like.
  dataset.alike = inputs.type == ElementType::kU8 || inputs.shape.size() > 2;
  return dataset;
}

}  // namespace

Result<Dataset> dataset_of(const Array& inputs, const Array* targets, const ArrayOptions& options) {
  WEFT_RETURN_IF_ERROR(check_classes(options.classes, inputs.place));
  WEFT_RETURN_IF_ERROR(check_inputs(inputs, options.memory));
  Dataset dataset = described(inputs);
  Targets all;
  if (targets != nullptr) {
    WEFT_RETURN_IF_ERROR(check_rows(inputs, *targets));
    WEFT_RETURN_IF_ERROR(add_targets(*targets, options, all));
  }
  WEFT_ASSIGN_OR_RETURN(std::vector<float> values, to_floats(inputs));
  WEFT_RETURN_IF_ERROR(finish(std::move(values), inputs.shape[0], std::move(all), options,
                              targets != nullptr ? targets->place : inputs.place, dataset));
  return dataset;
}

Result<Dataset> dataset_of(const Array& inputs, const Array& targets, const Array& test_inputs,
                           const Array& test_targets, const ArrayOptions& options) {
  WEFT_RETURN_IF_ERROR(check_classes(options.classes, inputs.place));
  WEFT_RETURN_IF_ERROR(check_inputs(inputs, options.memory));
  WEFT_RETURN_IF_ERROR(check_inputs(test_inputs, options.memory));
  WEFT_RETURN_IF_ERROR(check_rows(inputs, targets));
  WEFT_RETURN_IF_ERROR(check_rows(test_inputs, test_targets));
  if (features_of(inputs) != features_of(test_inputs) || features_of(targets) != features_of(test_targets)) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}, wanted rows as {} has, {}", test_inputs.place,
                                                            shape_of(test_inputs), inputs.place, shape_of(inputs)));
  }
  const std::int64_t rows = inputs.shape[0] + test_inputs.shape[0];
  WEFT_RETURN_IF_ERROR(check_memory(inputs.place, rows, features_of(inputs), memory_budget(options.memory), false));
  Dataset dataset = described(inputs);
  dataset.test_rows = test_inputs.shape[0];
  Targets all;
  WEFT_RETURN_IF_ERROR(add_targets(targets, options, all));
  WEFT_RETURN_IF_ERROR(add_targets(test_targets, options, all));
  WEFT_ASSIGN_OR_RETURN(std::vector<float> values, to_floats(inputs));
  WEFT_ASSIGN_OR_RETURN(const std::vector<float> more, to_floats(test_inputs));
  values.insert(values.end(), more.begin(), more.end());
  WEFT_RETURN_IF_ERROR(finish(std::move(values), rows, std::move(all), options, targets.place, dataset));
  return dataset;
}

}  // namespace weft::data
