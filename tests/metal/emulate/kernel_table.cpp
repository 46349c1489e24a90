// The only file that compiles the bodies of kernels for the emulator.
#include "tests/metal/emulate/emulator.h"
// The emulator is there: what follows depends on it.
#include "src/kernels/team.h"

// A member's barrier tells where it is called, not where it is defined: `team.barrier()` becomes a comma expression.
#define barrier() size, ::weft::test::meet(__FILE__, __LINE__)
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-value"
#endif
#include "src/kernels/entries.h"
#undef barrier

#include "tests/metal/emulate/kernel_table.h"

namespace weft::test {
namespace {

constexpr StepKernel kKernels[] = {
#define WEFT_KERNEL(identifier, spread, items)                                                                      \
  {#identifier, kernels::Op::k##identifier, Spread::spread, [](const StepArguments& a) {                            \
     kernels::step_##identifier(a.step, a.rate, a.in[0], a.in[1], a.in[2], a.out[0], a.out[1], a.out[2], a.when[0], \
                                a.when[1], a.when[2]);                                                              \
   }},
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL
};

}  // namespace

std::span<const StepKernel> step_kernels() { return kKernels; }

const StepKernel& finish_forward_kernel() {
  static constexpr StepKernel kKernel{
      "finish_forward", kernels::Op::kForward, Spread::kElements,
      [](const StepArguments& a) { kernels::finish_forward(a.step, a.in[2], a.out[0], a.out[1]); }};
  return kKernel;
}

void run_gather(std::int64_t first, std::int64_t batch, std::int64_t elements, const float* rows,
                const std::int32_t* order, float* to) {
  kernels::gather({first, batch, elements}, rows, order, to);
}

void run_note(std::int64_t call, bool has_loss, const float* loss, const std::uint32_t* finite,
              kernels::CallOutcome* outcomes) {
  kernels::note({call, has_loss ? 1u : 0u}, loss, finite, outcomes);
}

}  // namespace weft::test
