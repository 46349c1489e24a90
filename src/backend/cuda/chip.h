// Chip: a whole program in one block of threads, its buffers in that block's memory, many calls in one launch.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/backend/cuda/chip_member.h"
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

  Status takes(const DeviceCalls& calls) const override;
  Status run(const DeviceCalls& calls) override;
  std::string describe() const override;

  /// Networks of one kernel() on one GPU can be trained in one launch.
  const void* kernel() const { return kernel_; }
  const std::string& title() const { return program_.title; }
  cudaStream_t stream() const { return memory_.stream(); }
  std::size_t member_bytes() const { return sizeof(kernels::Member) + held_.size() * sizeof(kernels::Held); }

  /// One network's calls.
  struct Part {
    Chip* chip;
    DeviceCalls calls;
  };
  /// Appends what the kernel wants to know of each, for its memory: member_bytes() bytes.
  static void describe_members(std::span<const Part> parts, std::vector<std::byte>& to);
  /// Launches them, a block each; all have one kernel(). members: the GPU's copy of what describe_members said.
  static Status launch(std::span<const Part> parts, const std::byte* members, cudaStream_t stream);

 private:
  Chip(const Program& program, DeviceMemory& memory, ChipText text)
      : program_(program), memory_(memory), text_(std::move(text)) {}

  const Program& program_;
  DeviceMemory& memory_;
  ChipText text_;
  std::shared_ptr<const Module> module_;
  const void* kernel_ = nullptr;
  HeldPlaces held_;
  std::vector<std::byte> member_;  // of a launch, and where the GPU has it
  DeviceArray<std::byte> sent_;
};

}  // namespace weft::cuda
