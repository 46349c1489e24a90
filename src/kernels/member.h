// Member: what one block needs to train one network over many calls. A launch trains as many networks as it has blocks.
#pragma once

#include "src/kernels/outcome.h"

namespace weft {
namespace kernels {

/// A buffer in the device's memory: its first slot, and the elements from slot to slot. Counters are uint32_t there.
struct Held {
  WEFT_GLOBAL(float) at;
  Index stride;
};

/// The calls of one network; its buffers (Held) follow, in the order that the program names them. Call c trains on rows
/// order[c * batch ...], or on rows c * batch ... where there is no order, at rates[c] and clock + c.
struct Member {
  WEFT_GLOBAL(const float) inputs;  // rows of samples, aligned to 16 bytes
  WEFT_GLOBAL(const float) targets;
  WEFT_GLOBAL(const std::int32_t) order;
  WEFT_GLOBAL(const float) rates;
  WEFT_GLOBAL(CallOutcome) outcomes;
  std::uint64_t clock;
  std::int32_t count, batch;  // calls, samples of each

  WEFT_METHOD WEFT_GLOBAL(const Held) held() const { return reinterpret_cast<WEFT_GLOBAL(const Held)>(this + 1); }
};

}  // namespace kernels
}  // namespace weft
