// Runs of calls in pieces, and what generated programs want of their samples.
#include "src/backend/cuda/way.h"

#include <fmt/format.h>

namespace weft::cuda {

DeviceCalls DeviceCalls::after(std::int64_t done) const {
  DeviceCalls rest = *this;
  const std::int64_t samples = done * batch;
  if (order != nullptr) {
    rest.order += samples;
  } else {
    if (inputs != nullptr) rest.inputs += samples * input_elements;
    if (targets != nullptr) rest.targets += samples * target_elements;
  }
  rest.rates += done;
  rest.outcomes += done;
  rest.clock += static_cast<std::uint64_t>(done);
  return rest;
}

Status check_rows(const Program& program, const DeviceCalls& calls, RowsRead input, RowsRead target) {
  // Without rows of samples there is one batch, as the program reads it. A sample may have several rows.
  const auto agrees = [&](RowsRead wanted, std::int64_t elements) {
    return wanted.elements == 0 || elements == 0 ||
           (wanted.rows % calls.batch == 0 && wanted.elements == calls.batch * elements);
  };
  if (agrees(input, calls.input_elements) && agrees(target, calls.target_elements)) return {};
  return {StatusCode::kUnsupported,
          fmt::format("cuda: '{}' takes {} rows of {} inputs and {} of {} targets in all, seen {} samples of {} and {}",
                      program.title, input.rows, input.elements, target.rows, target.elements, calls.batch,
                      calls.input_elements, calls.target_elements)};
}

}  // namespace weft::cuda
