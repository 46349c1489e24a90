// Data sets from arrays: inputs [n, ...], labels [n], targets [n, outputs].
#include <fmt/format.h>

#include <initializer_list>
#include <new>
#include <utility>

#include "src/core/try.h"
#include "src/data/array.h"
#include "src/data/labels.h"
#include "src/data/memory.h"

namespace weft::data {
namespace {

std::string shape_of(const Array& array) { return fmt::format("shape [{}]", fmt::join(array.shape, ", ")); }

std::int64_t features_of(const Array& array) { return array.elements() / array.shape[0]; }

Status check_inputs(const Array& inputs) {
  if (!inputs.shape.empty()) return Status();
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{}: a single number, wanted shape [rows, ...]", inputs.place));
}

// What all of them need together: the bytes as they were read, the numbers, and an array turned about once more.
Status check_sum(std::initializer_list<const Array*> inputs, std::initializer_list<const Array*> targets,
                 const ArrayOptions& options, std::uint64_t file_bytes) {
  MemoryNeed need{.file_bytes = file_bytes};
  for (const Array* array : inputs) {
    need.rows += array->shape[0];
    need.columns = features_of(*array);
    const bool turned = array->fortran && array->shape.size() > 1;
    need.file_bytes += array->bytes.size() + (turned ? sizeof(float) * static_cast<std::size_t>(array->elements()) : 0);
  }
  for (const Array* array : targets) {
    const bool labels = options.task == Task::kClassification;
    need.row_bytes = labels ? kLabelBytes : static_cast<std::int64_t>(2 * sizeof(float)) * features_of(*array);
    need.file_bytes += array->bytes.size();
  }
  return check_memory((*inputs.begin())->place, need, memory_budget(options.memory));
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
  return append_floats(targets, all.values);
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

Result<Dataset> dataset_of(const Array& inputs, const Array* targets, const ArrayOptions& options,
                           std::uint64_t file_bytes) {
  WEFT_RETURN_IF_ERROR(check_classes(options.classes, inputs.place));
  WEFT_RETURN_IF_ERROR(check_inputs(inputs));
  if (targets != nullptr) WEFT_RETURN_IF_ERROR(check_rows(inputs, *targets));
  WEFT_RETURN_IF_ERROR(targets != nullptr ? check_sum({&inputs}, {targets}, options, file_bytes)
                                          : check_sum({&inputs}, {}, options, file_bytes));
  Dataset dataset = described(inputs);
  Targets all;
  if (targets != nullptr) WEFT_RETURN_IF_ERROR(add_targets(*targets, options, all));
  std::vector<float> values;
  WEFT_RETURN_IF_ERROR(append_floats(inputs, values));
  WEFT_RETURN_IF_ERROR(finish(std::move(values), inputs.shape[0], std::move(all), options,
                              targets != nullptr ? targets->place : inputs.place, dataset));
  return dataset;
}

Result<Dataset> dataset_of(const Array& inputs, const Array& targets, const Array& test_inputs,
                           const Array& test_targets, const ArrayOptions& options, std::uint64_t file_bytes) {
  WEFT_RETURN_IF_ERROR(check_classes(options.classes, inputs.place));
  WEFT_RETURN_IF_ERROR(check_inputs(inputs));
  WEFT_RETURN_IF_ERROR(check_inputs(test_inputs));
  WEFT_RETURN_IF_ERROR(check_rows(inputs, targets));
  WEFT_RETURN_IF_ERROR(check_rows(test_inputs, test_targets));
  if (features_of(inputs) != features_of(test_inputs) || features_of(targets) != features_of(test_targets)) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}, wanted rows as {} has, {}", test_inputs.place,
                                                            shape_of(test_inputs), inputs.place, shape_of(inputs)));
  }
  const std::int64_t rows = inputs.shape[0] + test_inputs.shape[0];
  WEFT_RETURN_IF_ERROR(check_sum({&inputs, &test_inputs}, {&targets, &test_targets}, options, file_bytes));
  Dataset dataset = described(inputs);
  dataset.test_rows = test_inputs.shape[0];
  Targets all;
  WEFT_RETURN_IF_ERROR(add_targets(targets, options, all));
  WEFT_RETURN_IF_ERROR(add_targets(test_targets, options, all));
  std::vector<float> values;
  try {
    values.reserve(static_cast<std::size_t>(rows * features_of(inputs)));
  } catch (const std::bad_alloc&) {  // append_floats then says what is too much
  }
  WEFT_RETURN_IF_ERROR(append_floats(inputs, values));
  WEFT_RETURN_IF_ERROR(append_floats(test_inputs, values));
  WEFT_RETURN_IF_ERROR(finish(std::move(values), rows, std::move(all), options, targets.place, dataset));
  return dataset;
}

}  // namespace weft::data
