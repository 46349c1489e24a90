// The forms of factors: who writes each of those in which products want their factors.
#pragma once

#include "src/backend/cuda/touches.h"

namespace weft::cuda {

/// Gives the forms places in scratch memory, and adds conversions where no draft can write one. Gathers come first in
/// the list. What nobody wants as it is, is then no longer written so. copies: of each form that a call makes, so that
/// the next call need not wait until it has been read.
void choose_forms(DraftList& list, const Touches& touches, const DeviceMemory& memory, std::int64_t copies);

}  // namespace weft::cuda
