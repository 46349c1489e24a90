// What a GPU notes of a call, as the caller is told it.
#pragma once

#include "src/backend/call_run.h"
#include "src/kernels/outcome.h"

namespace weft {

inline CallLoss to_loss(const kernels::CallOutcome& outcome) {
  return {.loss = static_cast<double>(outcome.loss), .finite = outcome.finite != 0};
}

}  // namespace weft
