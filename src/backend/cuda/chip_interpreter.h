// ChipInterpreter: a program interpreted by one block, its buffers in that block's memory: what serves where there is
// no compiler at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/backend/cuda/chip_member.h"
#include "src/backend/cuda/way.h"
#include "src/generate/placed_program.h"

namespace weft::cuda {

class ChipInterpreter final : public Way {
 public:
  /// The program and the memory outlive it. Errors: kUnsupported where it does not fit, kResourceExhausted,
  /// kDeviceFault.
  static Result<std::unique_ptr<ChipInterpreter>> make(const Program& program, DeviceMemory& memory);

  Status takes(const DeviceCalls& calls) const override;
  Status run(const DeviceCalls& calls) override;
  std::string describe() const override;

 private:
  ChipInterpreter(const Program& program, DeviceMemory& memory, PlacedText text)
      : program_(program), memory_(memory), text_(std::move(text)) {}

  const Program& program_;
  DeviceMemory& memory_;
  PlacedText text_;
  HeldPlaces held_;
  std::vector<std::byte> member_;
  DeviceArray<std::byte> placed_, sent_;
};

}  // namespace weft::cuda
