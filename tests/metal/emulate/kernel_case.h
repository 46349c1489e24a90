// KernelCase: one instruction with all it reads and writes, to be run by the cpu device and by the emulated kernels.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "src/program/program.h"
#include "tests/support/tolerance.h"

namespace weft::test {

struct CaseBuffer {
  Element element = Element::kStorage;
  std::vector<double> values;  // floats or counters
};

struct KernelCase {
  std::string name;
  Instruction instruction;  // its operands are places in `buffers`
  Loss loss = Loss::kMse;
  Optimizer optimizer;
  double lr = 0.125;
  std::vector<CaseBuffer> buffers;
  OpClass op_class = OpClass::kElementwise;
  double magnitude = 8.0;  // what the results would measure had nothing cancelled
  std::int64_t terms = 1;  // of a sum
};

/// Every variant of an instruction, at sizes that fill tiles and miss them by one. None: it is a new one, and has to be
/// given some here.
std::vector<KernelCase> kernel_cases(Opcode op);

}  // namespace weft::test
