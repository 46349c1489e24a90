// RowsRead: what a program that was generated for one size reads of a call's samples.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/program/program.h"
#include "weft/status.hpp"

namespace weft {

/// So many rows, of so many elements in all; none where it reads none.
struct RowsRead {
  std::int64_t rows = 0, elements = 0;
};

/// The samples of a call: how many, and the elements of an input and of a target; 0 elements where a call has no rows
/// of samples but one batch, as the program reads it.
struct SamplesSeen {
  std::int64_t batch = 1, input_elements = 0, target_elements = 0;
};

/// Whether the samples are those that the program was generated for; one may have several rows. `device` names the
/// place in messages. Errors: kUnsupported naming both sizes.
Status check_rows(std::string_view device, const Program& program, SamplesSeen seen, RowsRead input, RowsRead target);

}  // namespace weft
