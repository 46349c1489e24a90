// What a GPU notes of calls, added up for the caller.
#pragma once

#include <span>

#include "src/backend/call_run.h"
#include "src/kernels/outcome.h"

namespace weft {

inline void add(std::span<const kernels::CallOutcome> outcomes, RunLosses& losses) {
  for (const kernels::CallOutcome& call : outcomes) losses.add(static_cast<double>(call.loss), call.finite != 0);
}

}  // namespace weft
