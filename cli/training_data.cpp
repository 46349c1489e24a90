// Data for a training.
#include "cli/training_data.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/data_options.h"
#include "src/core/names.h"

namespace weft::cli {
namespace {

constexpr std::string_view kReading = "data: ", kSplitting = "split: ";

/// "split: test share: 0.001 of 10 rows leaves none" names --test, what else the split refuses --data.
Status at_share(const Status& status, const TrainingOptions& options) {
  std::string_view message = status.message();
  if (message.starts_with(kSplitting)) message.remove_prefix(kSplitting.size());
  std::string flag = fmt::format("--data {}:", quote(options.source)), note;
  for (const auto& [noun, name] : {std::pair<std::string_view, const char*>{"validation share: ", "--val:"},
                                   std::pair<std::string_view, const char*>{"test share: ", "--test:"},
                                   std::pair<std::string_view, const char*>{"shares ", "--val and --test:"}}) {
    if (!message.starts_with(noun)) continue;
    message.remove_prefix(noun.size());
    flag = name;
    if (flag.find("--test") != std::string::npos && !options.has("--test"))
      note = "; --test is 0.2 where it is not given, --test 0 trains without a test part";
  }
  return {status.code(), fmt::format("{} {}{}", flag, message, note)};
}

}  // namespace

void TrainingData::convert(DType dtype) {
  for (data::Samples* samples : {&parts.train, &parts.validation, &parts.test}) {
    if (samples->size() == 0 || samples->inputs.dtype() == dtype) continue;
    samples->inputs = samples->inputs.to(dtype);
    samples->targets = samples->targets.to(dtype);
  }
}

Result<TrainingData> load_training_data(const TrainingOptions& options) {
  TrainingData data;
  auto read = data::read(options.source, options.read);
  if (!read.ok()) {
    std::string message = with_flags(read.status()).message();
    const bool source = message.starts_with(kReading);
    if (source) message.replace(0, kReading.size(), "--data: seen ");
    if (!source || read.status().code() != StatusCode::kInvalidArgument) return Status(read.status().code(), message);
    data.misuse = message;
    return data;
  }
  data::Dataset& dataset = *read;
  data.misuse = contradiction(options, dataset);
  if (!data.misuse.empty()) return data;
  if (dataset.task == data::Task::kClassification && dataset.classes.size() == 1)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--data {}: the label of all {} rows is {}, wanted two classes or more",
                              quote(options.source), dataset.size(), quote(dataset.classes.front())));
  const data::SplitOptions split = split_of(options);
  auto parts = data::split_in_place(dataset, split);
  if (!parts.ok()) return at_share(with_flags(parts.status()), options);
  data.parts = *std::move(parts);
  data.preparation = data::preparation_of(dataset, split, data.parts);
  data.notes = dataset.notes;
  return data;
}

}  // namespace weft::cli
