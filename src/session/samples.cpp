// Whether samples hang together.
#include "src/session/samples.h"

#include <fmt/format.h>

namespace weft {

Status check_samples(const data::Samples& samples, std::string_view place) {
  const auto refuse = [&](const std::string& text) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: {}", place, text));
  };
  const Shape& targets = samples.targets.shape();
  if (samples.size() < 1 || targets.rank() == 0 || targets[0] != samples.size())
    return refuse(fmt::format("inputs are {} and targets {}, wanted one target for each of 1 or more samples",
                              to_string(samples.inputs.shape()), to_string(targets)));
  if (samples.labels.empty()) return {};
  if (static_cast<std::int64_t>(samples.labels.size()) != samples.size())
    return refuse(fmt::format("{} labels for {} samples, wanted one each", samples.labels.size(), samples.size()));
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    if (samples.labels[i] < 0 || samples.labels[i] >= targets.features())
      return refuse(
          fmt::format("label of sample {} is {}, wanted 0 to {}", i, samples.labels[i], targets.features() - 1));
  }
  return {};
}

}  // namespace weft
