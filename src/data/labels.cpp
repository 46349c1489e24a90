// The distinct labels, sorted, are the classes, unless their number is given.
#include "src/data/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace weft::data {
namespace {

constexpr double kLargest = 2147483647.0;

}  // namespace

std::string label_fault(double number, std::int64_t classes) {
  const bool whole = std::floor(number) == number;
  if (classes > 0) {
    if (whole && number >= 0.0 && number < static_cast<double>(classes)) return {};
    return fmt::format("wanted a whole number from 0 to {}, the label of one of {} classes", classes - 1, classes);
  }
  if (whole && std::fabs(number) <= kLargest) return {};
  if (whole) return fmt::format("wanted a whole number from -{0:.0f} to {0:.0f}, the label of a class", kLargest);
  return "wanted a whole number, the label of a class (numbers to learn are a regression)";
}

Status check_classes(std::int64_t classes, std::string_view place) {
  if (classes >= 0 && classes <= kMostGivenClasses && classes != 1) return Status();
  return Status(StatusCode::kInvalidArgument, fmt::format("{}: classes: {}, wanted from 2 to {}, or 0 to count them",
                                                          place, classes, kMostGivenClasses));
}

Status encode_labels(const std::vector<double>& numbers, std::int64_t classes, std::string_view place,
                     Dataset& dataset) {
  dataset.labels.reserve(numbers.size());
  if (classes > 0) {
    for (std::int64_t c = 0; c < classes; ++c) dataset.classes.push_back(fmt::to_string(c));
    for (const double number : numbers) dataset.labels.push_back(static_cast<std::int32_t>(number));
    return Status();
  }
  std::unordered_map<std::int32_t, std::int32_t> index;
  for (const double number : numbers) {
    index.try_emplace(static_cast<std::int32_t>(number));
    if (static_cast<std::int64_t>(index.size()) > kMostClasses) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("{}: more than {} different labels, wanted the labels of classes (numbers to learn are a "
                      "regression; the classes option raises the limit)",
                      place, kMostClasses));
    }
  }
  std::vector<std::int32_t> distinct;
  for (const auto& [label, unused] : index) distinct.push_back(label);
  std::sort(distinct.begin(), distinct.end());
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    index[distinct[i]] = static_cast<std::int32_t>(i);
    dataset.classes.push_back(fmt::to_string(distinct[i]));
  }
  for (const double number : numbers) dataset.labels.push_back(index.at(static_cast<std::int32_t>(number)));
  return Status();
}

}  // namespace weft::data
