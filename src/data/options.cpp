// Names of the options that a reader or a split takes.
#include <array>
#include <span>

#include "src/core/names.h"
#include "weft/data.hpp"

namespace weft::data {
namespace {

constexpr std::array<NameRow<ScalingKind>, 3> kScalings{
    {{"none", ScalingKind::kNone}, {"unit", ScalingKind::kUnit}, {"standardise", ScalingKind::kStandardise}}};
constexpr std::array<NameRow<Task>, 2> kTasks{
    {{"classification", Task::kClassification}, {"regression", Task::kRegression}}};
constexpr std::array<NameRow<Missing>, 3> kMissing{
    {{"refuse", Missing::kRefuse}, {"drop", Missing::kDropRow}, {"mean", Missing::kMean}}};

template <typename T, std::size_t n>
std::string_view name_of(const std::array<NameRow<T>, n>& rows, T value) {
  for (const auto& row : rows) {
    if (row.value == value) return row.spelling;
  }
  return "?";
}

template <typename T, std::size_t n>
Result<T> parse(std::string_view place, std::string_view name, const std::array<NameRow<T>, n>& rows) {
  return parse_name<T>(place, name, std::span<const NameRow<T>>(rows));
}

}  // namespace

std::string_view to_string(ScalingKind kind) { return name_of(kScalings, kind); }
std::string_view to_string(Task task) { return name_of(kTasks, task); }
std::string_view to_string(Missing missing) { return name_of(kMissing, missing); }

Result<ScalingKind> parse_scaling(std::string_view name) {
  return parse("scaling", name == "standardize" ? "standardise" : name, kScalings);
}
Result<Task> parse_task(std::string_view name) { return parse("task", name, kTasks); }
Result<Missing> parse_missing(std::string_view name) { return parse("missing", name, kMissing); }

}  // namespace weft::data
