// Member: what one block needs to train one network over many calls, in the two forms that it has in memory: with
// pointers, or, where a device's memory holds none, as numbers beside the memory that a kernel is given.
#pragma once

#include "src/kernels/outcome.h"

namespace weft {
namespace kernels {

/// A buffer in the device's memory: its first slot, and the elements from slot to slot. Counters are uint32_t there.
struct Held {
  WEFT_FAR(float) at;
  Index stride;
};

/// The calls of one network. Call c trains on rows order[c * batch ...], or on rows c * batch ... where there is no
/// order, at rates[c] and clock + c.
struct Member {
  WEFT_FAR(const float) inputs;  // rows of samples, aligned to 16 bytes
  WEFT_FAR(const float) targets;
  WEFT_FAR(const int32_t) order;
  WEFT_FAR(const float) rates;
  WEFT_FAR(CallOutcome) outcomes;
  uint64_t clock;
  int32_t count, batch;  // calls, samples of each

#if !defined(__METAL_VERSION__)
  /// Its buffers follow it in memory, in the order that the program names them.
  WEFT_METHOD WEFT_FAR(const Held) held() const { return reinterpret_cast<WEFT_FAR(const Held)>(this + 1); }
#endif
};

/// A member's numbers, and where its buffers lie in the memory of its session, in floats.
struct MemberCalls {
  uint64_t clock;
  int32_t count, batch;
  uint32_t ordered;  // 0: there is no order
};
struct HeldPlace {
  Index at, stride;
};

#if defined(__METAL_VERSION__)
struct HeldBuffers {
  WEFT_FAR(float) memory;
  WEFT_FAR(const HeldPlace) places;
  Held operator[](int b) const { return Held{memory + places[b].at, places[b].stride}; }
};
#else
using HeldBuffers = WEFT_FAR(const Held);

/// What a kernel without pointers in memory is given, in this order.
using TrainByPlaces = void(const MemberCalls& calls, const HeldPlace* places, float* memory, const float* inputs,
                           const float* targets, const int32_t* order, const float* rates, CallOutcome* outcomes);
#endif

}  // namespace kernels
}  // namespace weft
