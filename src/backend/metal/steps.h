// Steps: one kernel for each instruction, one command buffer for each call. Any program of any size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/backend/metal/product_step.h"
#include "src/backend/metal/step_kernels.h"
#include "src/backend/metal/way.h"
#include "src/program/program.h"

namespace weft::metal {

class Steps final : public Way {
 public:
  /// The program and the memory outlive it. Errors: kInternal where a kernel cannot be had.
  static Result<std::unique_ptr<Steps>> make(const Program& program, const Memory& memory);

  Status run(const DeviceCalls& calls, Id queue, Flight& flight) override;
  std::string describe() const override;

 private:
  struct Launch {
    const Instruction* code;
    kernels::Step step;
    StepKernel kernel;
    Grid grid;
    std::unique_ptr<ProductStep> product;  // instead of the kernel, where it is not null
  };

  Steps(const Program& program, const Memory& memory) : program_(program), memory_(memory) {}

  void gather(Command& command, const DeviceCalls& calls, std::int64_t call) const;
  void run_program(Command& command, float rate, std::uint64_t clock) const;
  void note(Command& command, const DeviceCalls& calls, std::int64_t call) const;

  const Program& program_;
  const Memory& memory_;
  Owned label_;
  std::vector<Launch> launches_;
  Kernel<decltype(kernels::gather)> gather_;
  Kernel<decltype(kernels::note)> note_;
  bool reads_input_ = false, reads_target_ = false;
};

}  // namespace weft::metal
