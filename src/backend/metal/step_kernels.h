// StepKernel: the kernel of one instruction, and how many threads run it.
#pragma once

#include "src/backend/metal/kernel.h"
#include "src/backend/metal/library.h"
#include "src/kernels/entries.h"

namespace weft::metal {

/// All kernels of kernels.def are declared alike.
using StepKernel = Kernel<decltype(kernels::step_Forward)>;

/// Errors: kInternal, from the library.
Result<StepKernel> step_kernel(Library& library, kernels::Op op);

/// As kernels.def spreads the step.
Grid grid_of(const kernels::Step& step, const StepKernel& kernel);

/// That many items, each a thread's.
Grid grid_of_items(kernels::Index items, UInteger max_threads);

}  // namespace weft::metal
