// Chip: a whole program in one block of threads, its buffers in that block's memory, many calls in one launch.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/backend/cuda/module.h"
#include "src/backend/cuda/way.h"
#include "src/generate/chip_text.h"

namespace weft::cuda {

class Chip final : public Way {
 public:
  /// Generates and compiles the program. The program and the memory outlive it. Errors: kUnsupported where it does not
  /// fit or is estimated to take more cycles a call, kNotFound where there is no NVRTC, kDeviceFault.
  static Result<std::unique_ptr<Chip>> make(const Program& program, DeviceMemory& memory, double most_cycles);
  static constexpr double kAnyCycles = 1e300;

  Status run(const DeviceCalls& calls) override;
  std::string describe() const override;

  /// Whether the calls are made of what the program was generated for. Errors: kInternal.
  Status check(const DeviceCalls& calls) const;

  /// Networks of one kernel() on one GPU can be trained together.
  const void* kernel() const { return kernel_; }

  /// One network's calls, see run_together.
  struct Part {
    Chip* chip;
    DeviceCalls calls;
  };
  /// As `run` for each, in one launch with a block for each. All have one kernel() and lie on one GPU; there is one at
  /// least. Errors: as run, of any.
  static Status run_together(std::span<const Part> parts);

 private:
  Chip(const Program& program, DeviceMemory& memory, ChipText text)
      : program_(program), memory_(memory), text_(std::move(text)) {}

  const Program& program_;
  DeviceMemory& memory_;
  ChipText text_;
  std::shared_ptr<const Module> module_;
  const void* kernel_ = nullptr;
  std::vector<std::byte> members_;  // of a launch, and where the GPU has them
  DeviceArray<std::byte> sent_;
};

}  // namespace weft::cuda
