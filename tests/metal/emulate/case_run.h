// CaseRun: a case run by the cpu device, and by the emulated kernels.
#pragma once

#include <string>
#include <vector>

#include "tests/metal/emulate/dispatch.h"
#include "tests/metal/emulate/kernel_case.h"
#include "tests/metal/emulate/kernel_table.h"

namespace weft::test {

/// What all buffers of a case hold afterwards.
using CaseResult = std::vector<std::vector<double>>;

/// By the device that others are compared with.
CaseResult run_on_cpu(const KernelCase& made);

/// `wrong` is told of threads that did not meet, and of writes to what is no output.
CaseResult run_emulated(const KernelCase& made, const StepKernel& kernel, LaunchShape shape, bool backwards,
                        std::string& wrong);

/// Empty, or the first element that is further from the wanted one than the case allows.
std::string difference(const KernelCase& made, const CaseResult& seen, const CaseResult& wanted);

/// Empty, or the first element that is not the same to the bit; what is no number has no bits.
std::string same_bits(const CaseResult& seen, const CaseResult& wanted);

}  // namespace weft::test
