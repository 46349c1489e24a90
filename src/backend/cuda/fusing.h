// Fusing: drafts that become one where nothing else sees what is between them.
#pragma once

#include "src/backend/cuda/touches.h"

namespace weft::cuda {

/// Projections go into the deltas behind them, those into the products before them.
void fuse(std::vector<Draft>& drafts, const Touches& touches);

}  // namespace weft::cuda
