// Entries: the kernels that a device starts by name, one for each row of kernels.def, one for what is left of a row
// when a library has done its product, and two for each call: its batch is gathered, and what it came to is noted.
// Parameters are bound by their place: pointers are buffers, WEFT_VALUEs bytes.
#pragma once

#include "src/kernels/outcome.h"
#include "src/kernels/run_step.h"

#if defined(__METAL_VERSION__)
#define WEFT_VALUE(T) constant T&
#define WEFT_BIND_3(a, b, c) a [[buffer(0)]], b [[buffer(1)]], c [[buffer(2)]]
#define WEFT_BIND_4(a, b, c, d) WEFT_BIND_3(a, b, c), d [[buffer(3)]]
#define WEFT_BIND_11(a, b, c, d, e, f, g, h, i, j, k)                                                           \
  WEFT_BIND_4(a, b, c, d), e [[buffer(4)]], f [[buffer(5)]], g [[buffer(6)]], h [[buffer(7)]], i [[buffer(8)]], \
      j [[buffer(9)]], k [[buffer(10)]]
#define WEFT_BIND_OF(a, b, c, d, e, f, g, h, i, j, k, n, ...) WEFT_BIND_##n
#define WEFT_BIND(...) WEFT_BIND_OF(__VA_ARGS__, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define WEFT_START(name, ...)                                                                          \
  kernel void name(WEFT_BIND(__VA_ARGS__), uint rank [[thread_position_in_threadgroup]],               \
                   uint size [[threads_per_threadgroup]], uint group [[threadgroup_position_in_grid]], \
                   uint groups [[threadgroups_per_grid]])
#define WEFT_SCRATCH(name, floats) threadgroup float name[floats]
#define WEFT_TEAM(scratch) \
  Team { rank, size, group, groups, scratch }
#else  // host C++
#define WEFT_VALUE(T) const T&
#define WEFT_START(name, ...) inline void name(__VA_ARGS__)
#ifndef WEFT_SCRATCH  // one thread is everything, but where an emulator says who calls and what a group shares
#define WEFT_SCRATCH(name, floats) float name[floats]
#define WEFT_TEAM(scratch) \
  Team { 0, 1, 0, 1, scratch }
#endif
#endif

namespace weft {
namespace kernels {

/// A call's rows, one behind the other.
struct Gather {
  Index first, batch, elements;  // the place in `order` of its first sample, its samples, the elements of one
};

/// What a call came to. Without a loss: 0, finite.
struct Note {
  Index call;
  uint32_t has_loss;
};

}  // namespace kernels
}  // namespace weft

#if defined(__METAL_VERSION__)
using namespace weft::kernels;  // Metal knows kernels of the global namespace by their plain names
#else
namespace weft {
namespace kernels {
#endif

// step_Forward, step_Delta, ...: operands that the step does not have are bound to anything.
#define WEFT_KERNEL(identifier, spread, items)                                                                 \
  WEFT_START(step_##identifier, WEFT_VALUE(Step) step, WEFT_VALUE(float) rate, WEFT_FAR(const float) in0,      \
             WEFT_FAR(const float) in1, WEFT_FAR(const float) in2, WEFT_FAR(float) out0, WEFT_FAR(float) out1, \
             WEFT_FAR(float) out2, WEFT_FAR(const uint32_t) when0, WEFT_FAR(const uint32_t) when1,             \
             WEFT_FAR(const uint32_t) when2) {                                                                 \
    WEFT_SCRATCH(scratch, kScratchFloats);                                                                     \
    const Operands at{{in0, in1, in2}, {out0, out1, out2}, {when0, when1, when2}};                             \
    if (is_due(step, at)) run_step(Op::k##identifier, WEFT_TEAM(scratch), step, rate, at);                     \
  }
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL

/// What is left of step_Forward where something else has put the products into z.
WEFT_START(finish_forward, WEFT_VALUE(Step) step, WEFT_FAR(const float) b, WEFT_FAR(float) z, WEFT_FAR(float) y) {
  const Team team = WEFT_TEAM(nullptr);
  activate_products(team, step.m * step.n, step.n, step.has_optional != 0, b, step.activation, z, y);
}

/// to = the call's rows, by order
WEFT_START(gather, WEFT_VALUE(Gather) of, WEFT_FAR(const float) rows, WEFT_FAR(const int32_t) order,
           WEFT_FAR(float) to) {
  const Team team = WEFT_TEAM(nullptr);
  for (Index i = team.first(); i < of.batch * of.elements; i += team.stride())
    to[i] = rows[order[of.first + i / of.elements] * of.elements + i % of.elements];
}

/// outcomes[call] = loss, finite
WEFT_START(note, WEFT_VALUE(Note) of, WEFT_FAR(const float) loss, WEFT_FAR(const uint32_t) finite,
           WEFT_FAR(CallOutcome) outcomes) {
  const Team team = WEFT_TEAM(nullptr);
  if (team.first() != 0) return;
  outcomes[of.call].loss = of.has_loss != 0 ? *loss : 0.0f;
  outcomes[of.call].finite = of.has_loss != 0 ? *finite : 1u;
}

#if !defined(__METAL_VERSION__)
}  // namespace kernels
}  // namespace weft
#endif
