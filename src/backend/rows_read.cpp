// Comparing a program's samples with a call's.
#include "src/backend/rows_read.h"

#include <fmt/format.h>

namespace weft {

Status check_rows(std::string_view device, const Program& program, SamplesSeen seen, RowsRead input, RowsRead target) {
  const auto agrees = [&](RowsRead wanted, std::int64_t elements) {
    return wanted.elements == 0 || elements == 0 ||
           (wanted.rows % seen.batch == 0 && wanted.elements == seen.batch * elements);
  };
  if (agrees(input, seen.input_elements) && agrees(target, seen.target_elements)) return {};
  return {StatusCode::kUnsupported,
          fmt::format("{}: '{}' takes {} rows of {} inputs and {} of {} targets in all, seen {} samples of {} and {}",
                      device, program.title, input.rows, input.elements, target.rows, target.elements, seen.batch,
                      seen.input_elements, seen.target_elements)};
}

}  // namespace weft
