// Any text as data.json; one that is read is written and read back the same, and prepares rows or refuses them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "src/data/checksum.h"
#include "weft/preparation.hpp"

namespace {

// Two rows of as many features as are wanted, one value missing.
weft::data::Dataset rows_for(const weft::data::Preparation& preparation) {
  const std::int64_t features = preparation.item.elements();
  weft::data::Dataset dataset;
  dataset.source = "rows";
  dataset.task = preparation.task;
  dataset.item = preparation.item;
  dataset.inputs = weft::Tensor(weft::Shape{2, features});
  dataset.inputs.mutable_values<float>()[0] = 3.5f;
  dataset.inputs.mutable_values<float>()[1] = __builtin_nanf("");
  dataset.missing = 1;
  if (preparation.task == weft::data::Task::kClassification) {
    dataset.classes = {"0", "b"};
    dataset.labels = {0, 1};
  } else {
    dataset.targets = weft::Tensor(weft::Shape{2, preparation.outputs});
    dataset.targets.mutable_values<float>()[0] = 1e5f;
  }
  return dataset;
}

// The checksum of those rows, whose labels are numbered as the model's classes are: any else would end the drawing of
// parts.
std::uint64_t checksum_for(const weft::data::Dataset& dataset, const weft::data::Preparation& preparation) {
  std::vector<std::int32_t> labels;
  for (const std::string& name : dataset.classes) {
    const auto found = std::find(preparation.classes.begin(), preparation.classes.end(), name);
    labels.push_back(static_cast<std::int32_t>(found - preparation.classes.begin()));
  }
  return checksum_of(dataset, labels);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace weft::data;
  auto preparation = preparation_from_json({reinterpret_cast<const char*>(bytes), size});
  if (!preparation.ok()) return 0;
  const std::string written = to_json(*preparation);
  const auto back = preparation_from_json(written);
  if (!back.ok() || !(*back == *preparation) || to_json(*back) != written) std::abort();
  if (preparation->item.elements() > 1000 || preparation->outputs > 1000) return 0;
  const Dataset dataset = rows_for(*preparation);
  preparation->checksum = checksum_for(dataset, *preparation);
  for (const Part part : {Part::kAll, Part::kTrain, Part::kValidation, Part::kTest}) {
    const auto samples = prepare_part(dataset, *preparation, part);
    if (!samples.ok()) continue;
    if (samples->inputs.shape()[1] != preparation->item.elements()) std::abort();
    weft::Tensor targets = samples->targets;
    if (preparation->task == Task::kRegression) (void)preparation->target_scaling.undo(targets);
  }
  return 0;
}
