// KernelText: src/kernels as text, for compilers that run when weft runs.
#pragma once

#include <string_view>

namespace weft {

/// What generated programs for one block call (src/kernels/generated.h), with no include of weft's own left. Made by
/// cmake/kernel_text.cmake.
std::string_view kernel_text();

/// What src/kernels/grid adds to it, for the kernels of grids.
std::string_view grid_kernel_text();

/// The kernels that are started by name (src/kernels/entries.h), whole.
std::string_view entries_text();

}  // namespace weft
