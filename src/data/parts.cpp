// Parts drawn by class.
#include "src/data/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "src/core/try.h"
#include "weft/random.hpp"

namespace weft::data {
namespace {

constexpr double kTestShare = 0.2;               // of a source without a test part
constexpr std::uint64_t kStream = 0x73706c6974;  // "split": apart from the numbers of weights and epochs

Status wrong(std::string message) { return Status(StatusCode::kInvalidArgument, "split: " + std::move(message)); }

Status check(const Dataset& dataset, const SplitOptions& options) {
  for (const auto& [name, share] :
       {std::pair("validation", options.validation), std::pair("test", options.test.value_or(0.0))}) {
    if (!(share >= 0.0 && share < 1.0)) {
      return wrong(fmt::format("{} share: {}, wanted at least 0 and less than 1", name, share));
    }
  }
  if (dataset.test_rows > 0 && options.test) {
    return wrong(fmt::format("test share: {}, wanted none: {} has {} test rows of its own", *options.test,
                             dataset.source, dataset.test_rows));
  }
  const std::size_t n = static_cast<std::size_t>(dataset.size());
  const bool labelled = dataset.task == Task::kClassification
                            ? dataset.labels.size() == n
                            : dataset.targets.shape().rank() == 2 && dataset.targets.shape()[0] == dataset.size();
  if (!labelled || n == 0 || dataset.inputs.shape().rank() != 2) {
    return wrong(fmt::format("{} has {} rows, wanted rows with {} each", dataset.source, n,
                             dataset.task == Task::kClassification ? "a label" : "a target"));
  }
  if (dataset.test_rows < 0 || dataset.test_rows >= dataset.size()) {
    return wrong(fmt::format("{} test rows of {}, wanted less", dataset.test_rows, n));
  }
  return Status();
}

RowNumbers shuffled(RowNumbers rows, Random& random) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
  return rows;
}

// Draws shares of the first `count` rows. The exact share of the classes so far, rounded, is what they have together:
// no class is off by more than a row, and neither is the sum.
Parts draw(std::span<const std::int32_t> labels, std::size_t classes, std::int64_t count, double validation,
           double test, std::uint64_t seed) {
  std::vector<RowNumbers> groups(std::max<std::size_t>(classes, 1));
  for (std::int64_t i = 0; i < count; ++i) {
    groups[labels.empty() ? 0 : static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])].push_back(i);
  }
  Parts parts;
  std::int64_t seen = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Random random(seed, kStream + g);
    const RowNumbers rows = shuffled(std::move(groups[g]), random);
    seen += static_cast<std::int64_t>(rows.size());
    const auto due = [&](double share, const RowNumbers& part) {
      const std::int64_t whole = std::llround(share * static_cast<double>(seen));
      return static_cast<std::size_t>(std::max<std::int64_t>(0, whole - static_cast<std::int64_t>(part.size())));
    };
    std::size_t left = rows.empty() ? 0 : rows.size() - 1;  // one row stays for training
    const std::size_t tests = std::min(due(test, parts.test), left);
    left -= tests;
    const std::size_t validations = std::min(due(validation, parts.validation), left);
    const auto at = [&](std::size_t i) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
    parts.test.insert(parts.test.end(), at(0), at(tests));
    parts.validation.insert(parts.validation.end(), at(tests), at(tests + validations));
    parts.train.insert(parts.train.end(), at(tests + validations), rows.end());
  }
  for (RowNumbers* part : {&parts.train, &parts.validation, &parts.test}) std::sort(part->begin(), part->end());
  return parts;
}

std::vector<float> gather(const Tensor& from, const RowNumbers& rows) {
  const auto width = static_cast<std::size_t>(from.shape()[1]);
  std::vector<float> values(rows.size() * width);
  const float* source = from.values<float>().data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(values.data() + i * width, source + static_cast<std::size_t>(rows[i]) * width, width * sizeof(float));
  }
  return values;
}

// The rows moved to the front, which is where they go where they ascend.
Tensor take_rows(Tensor& from, const RowNumbers& rows) {
  const std::int64_t columns = from.shape()[1];
  const auto width = static_cast<std::size_t>(columns);
  std::vector<float> values = from.is_view() ? gather(from, rows) : from.take();
  if (!from.is_view()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float* row = values.data() + static_cast<std::size_t>(rows[i]) * width;
      std::memmove(values.data() + i * width, row, width * sizeof(float));
    }
    values.resize(rows.size() * width);
  }
  return Tensor(Shape{static_cast<std::int64_t>(rows.size()), columns}, std::move(values));
}

// Labels and their one-hot targets.
void set_classes(std::span<const std::int32_t> labels, std::int64_t classes, const RowNumbers& rows, Samples& samples) {
  samples.targets = Tensor(Shape{static_cast<std::int64_t>(rows.size()), classes});
  if (labels.empty()) return;
  const auto targets = samples.targets.mutable_values<float>();
  samples.labels.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t label = labels[static_cast<std::size_t>(rows[i])];
    samples.labels.push_back(label);
    targets[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label)] = 1.0f;
  }
}

}  // namespace

Result<Parts> draw_parts(const Dataset& dataset, std::span<const std::int32_t> labels, std::size_t classes,
                         const SplitOptions& options) {
  WEFT_RETURN_IF_ERROR(check(dataset, options));
  const bool own_test = dataset.test_rows > 0;
  const double test = own_test ? 0.0 : options.test.value_or(kTestShare);
  if (test + options.validation >= 1.0) {
    return wrong(fmt::format("shares {} for validation and {} for testing, wanted less than 1 together",
                             options.validation, test));
  }
  const std::int64_t count = dataset.size() - dataset.test_rows;
  Parts parts = draw(labels, classes, count, options.validation, test, options.seed);
  for (std::int64_t i = count; i < dataset.size(); ++i) parts.test.push_back(i);
  for (const auto& [name, share, part] :
       {std::tuple("validation", options.validation, &parts.validation), std::tuple("test", test, &parts.test)}) {
    if (share > 0.0 && part->empty()) {
      return wrong(fmt::format("{} share: {} of {} rows leaves none, wanted at least one", name, share, count));
    }
  }
  return parts;
}

Samples samples_of(const RowSource& source, const RowNumbers& rows) {
  Samples samples;
  if (rows.empty()) return samples;
  const auto n = static_cast<std::int64_t>(rows.size());
  const Dataset& dataset = source.dataset;
  samples.inputs = Tensor(Shape{n, dataset.inputs.shape()[1]}, gather(dataset.inputs, rows));
  if (dataset.targets.shape().rank() == 2) {
    samples.targets = Tensor(Shape{n, dataset.targets.shape()[1]}, gather(dataset.targets, rows));
    return samples;
  }
  set_classes(source.labels, source.outputs, rows, samples);
  return samples;
}

Samples take_samples(Dataset& dataset, const RowNumbers& rows) {
  Samples samples;
  samples.inputs = take_rows(dataset.inputs, rows);
  if (dataset.targets.shape().rank() == 2) {
    samples.targets = take_rows(dataset.targets, rows);
  } else {
    set_classes(dataset.labels, static_cast<std::int64_t>(dataset.classes.size()), rows, samples);
  }
  dataset.inputs = dataset.targets = Tensor();
  dataset.labels = {};
  return samples;
}

}  // namespace weft::data
