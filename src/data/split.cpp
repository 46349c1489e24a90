// Parts filled and scaled.
#include "src/core/try.h"
#include "src/data/parts.h"

namespace weft::data {

Result<Split> split(const Dataset& dataset, const SplitOptions& options) {
  WEFT_ASSIGN_OR_RETURN(const Parts parts, draw_parts(dataset, dataset.labels, dataset.classes.size(), options));
  const RowSource source{dataset, dataset.labels, static_cast<std::int64_t>(dataset.classes.size())};
  Split result;
  result.classes = dataset.classes;
  result.train = samples_of(source, parts.train);
  result.validation = samples_of(source, parts.validation);
  result.test = samples_of(source, parts.test);
  WEFT_ASSIGN_OR_RETURN(result.scaling, fit_scaling(options.scaling, result.train.inputs, dataset.alike));
  for (Samples* samples : {&result.train, &result.validation, &result.test}) {
    if (samples->size() > 0) WEFT_RETURN_IF_ERROR(result.scaling.apply(samples->inputs));
  }
  return result;
}

}  // namespace weft::data
