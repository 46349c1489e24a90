// ProductStep: an instruction whose product Metal Performance Shaders do, and kernels the rest of it.
#pragma once

#include <memory>
#include <optional>

#include "src/backend/metal/flight.h"
#include "src/backend/metal/memory.h"
#include "src/backend/metal/mps.h"
#include "src/backend/metal/step_kernels.h"
#include "src/program/program.h"

namespace weft::metal {

class ProductStep {
 public:
  /// Null for an instruction that kernels do as well: a small one, or one under a condition, which only a kernel can
  /// ask for. The instruction and the memory outlive it. Errors: kInternal, kResourceExhausted.
  static Result<std::unique_ptr<ProductStep>> make(const Instruction& code, const Program& program,
                                                   const Memory& memory);

  void encode(Command& command, float rate, std::uint64_t clock) const;

 private:
  ProductStep(const Instruction& code, const Memory& memory) : code_(code), memory_(memory) {}

  Status prepare(const Program& program);
  void finish_forward(Id encoder, std::uint64_t clock) const;
  void descend(Id encoder, float rate, std::uint64_t clock) const;

  const Instruction& code_;
  const Memory& memory_;
  std::optional<MatrixProduct> product_;
  kernels::Step rest_{};  // what kernels do
  Kernel<decltype(kernels::finish_forward)> finish_forward_;
  StepKernel apply_;
  Array<float> gradient_;  // of an update
};

}  // namespace weft::metal
