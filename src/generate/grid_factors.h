// GridFactors: a number that scales rows on their way to updates scales the updates instead, so that the rows need not
// wait for it: what they are told with, and the number's terms, then travel in one round.
#pragma once

#include "src/program/program.h"

namespace weft {

/// The same program; of an update, in[2] is such a number. It is right only for a grid.
Program with_late_factors(const Program& program, const BufferTable& buffers);

}  // namespace weft
