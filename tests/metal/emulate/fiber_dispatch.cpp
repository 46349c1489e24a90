// Dispatch on fibers: one group after the other, its threads by turns.
#include <algorithm>
#include <array>
#include <bit>

#include "tests/metal/emulate/barrier_sites.h"
#include "tests/metal/emulate/dispatch.h"
#include "tests/metal/emulate/emulator.h"
#include "tests/support/fibers.h"

namespace weft::test {
namespace {

// What a group finds in its scratch: not a number, and no other code makes these bits.
constexpr std::uint32_t kNobodys = 0x7fc0beefu;

LaunchShape shape_now{};
std::uint32_t group_now = 0;
std::array<float, kMostScratch> scratch;
std::size_t scratch_used = 0;

}  // namespace

Here here() { return {Fibers::rank(), shape_now.threads, group_now, shape_now.groups}; }

void meet(const char* file, int line) {
  if (const void* site = come_to(file, line); site != nullptr) Fibers::barrier(site);
}

float* group_scratch(std::size_t floats) {
  scratch_used = floats;
  return scratch.data();
}

std::string dispatch(LaunchShape shape, bool backwards, const std::function<void()>& kernel) {
  static Fibers fibers;
  shape_now = shape;
  for (std::uint32_t turn = 0; turn < shape.groups; ++turn) {
    group_now = backwards ? shape.groups - 1 - turn : turn;
    scratch.fill(std::bit_cast<float>(kNobodys));
    scratch_used = 0;
    std::string wrong = fibers.run(
        shape.threads, backwards ? FiberOrder::kBackwards : FiberOrder::kForwards,
        [](void* context) { (*static_cast<const std::function<void()>*>(context))(); },
        const_cast<std::function<void()>*>(&kernel));
    if (!wrong.empty()) return wrong;
    const bool inside = std::all_of(scratch.begin() + static_cast<std::ptrdiff_t>(scratch_used), scratch.end(),
                                    [](float x) { return std::bit_cast<std::uint32_t>(x) == kNobodys; });
    if (!inside) return "a thread wrote past the end of scratch";
  }
  return "";
}

}  // namespace weft::test
