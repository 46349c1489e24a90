// KernelTable: the kernels of src/kernels/entries.h as functions that threads of the emulator call.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <string_view>

#include "src/kernels/outcome.h"
#include "src/kernels/step.h"

namespace weft::test {

enum class Spread { kElements, kTiles, kOneGroup, kOneThread };

/// The arguments of a step's kernel.
struct StepArguments {
  kernels::Step step;
  float rate;
  std::array<const float*, 3> in;
  std::array<float*, 3> out;
  std::array<const std::uint32_t*, 3> when;
};

struct StepKernel {
  std::string_view name;
  kernels::Op op;
  Spread spread;
  void (*run)(const StepArguments& arguments);
};

inline void PrintTo(const StepKernel& kernel, std::ostream* out) { *out << kernel.name; }

/// A row for each of kernels.def.
std::span<const StepKernel> step_kernels();

/// What is left of step_Forward where the products are in z already.
const StepKernel& finish_forward_kernel();

// The two kernels of a call (entries.h).
void run_gather(std::int64_t first, std::int64_t batch, std::int64_t elements, const float* rows,
                const std::int32_t* order, float* to);
void run_note(std::int64_t call, bool has_loss, const float* loss, const std::uint32_t* finite,
              kernels::CallOutcome* outcomes);

}  // namespace weft::test
