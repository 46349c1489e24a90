// Grid: a whole program in one cooperative grid over all multiprocessors, many calls in one launch.
#pragma once

#include <memory>
#include <string>

#include "src/backend/cuda/module.h"
#include "src/backend/cuda/way.h"
#include "src/generate/grid_text.h"

namespace weft::cuda {

class Grid final : public Way {
 public:
  /// Generates and compiles the program. The program and the memory outlive it. Errors: kUnsupported where it does not
  /// fit the GPU, kNotFound where there is no NVRTC, kResourceExhausted, kDeviceFault.
  static Result<std::unique_ptr<Grid>> make(const Program& program, DeviceMemory& memory);

  Status takes(const DeviceCalls& calls) const override;
  Status run(const DeviceCalls& calls) override;
  std::string describe() const override;

 private:
  Grid(const Program& program, DeviceMemory& memory, GridText text, int blocks)
      : program_(program), memory_(memory), text_(std::move(text)), blocks_(blocks) {}

  const Program& program_;
  DeviceMemory& memory_;
  GridText text_;
  int blocks_;
  std::shared_ptr<const Module> module_;
  const void* kernel_ = nullptr;
  DeviceArray<float> board_;
  DeviceArray<unsigned> state_;
  std::vector<float*> places_;
};

}  // namespace weft::cuda
