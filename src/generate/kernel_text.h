// KernelText: src/kernels as text, for compilers that run when weft runs.
#pragma once

#include <string_view>

namespace weft {

/// All headers but encode.h, one after the other, with no include of weft's own left. Made by cmake/kernel_text.cmake.
std::string_view kernel_text();

/// What src/kernels/grid adds to it, for the kernels of grids.
std::string_view grid_kernel_text();

}  // namespace weft
