// Kernels: functions that do a whole step in the calling thread, chosen by its sizes when a program is prepared.
#pragma once

#include "src/backend/native_cpu/prepared.h"

namespace weft::native_cpu {

/// The kernel for an instruction of the program; null where none is made for its sizes, and the device's general way
/// is to be taken. What a kernel computes depends on the instruction alone.
Kernel kernel_for(const Instruction& instruction, const Program& program);

/// Floats of Step::scratch that the instruction's kernel uses.
std::int64_t needs_scratch(const Instruction& instruction);

// By topic, for instructions of that topic and of sizes that pay.
Kernel forward_kernel(const Instruction& instruction);
Kernel grad_input_kernel(const Instruction& instruction);
Kernel weight_kernel(const Instruction& instruction);
Kernel bias_kernel(const Instruction& instruction);
Kernel delta_kernel(const Instruction& instruction);
Kernel mse_kernel(const Instruction& instruction);

}  // namespace weft::native_cpu
