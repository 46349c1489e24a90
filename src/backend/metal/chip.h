// Chip: a whole program in one group of threads, its buffers in that group's memory, many calls in one dispatch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "src/backend/metal/kernel.h"
#include "src/backend/metal/library.h"
#include "src/backend/metal/way.h"
#include "src/generate/chip_text.h"
#include "src/kernels/member.h"
#include "src/program/program.h"

namespace weft::metal {

class Chip final : public Way {
 public:
  /// Generates and compiles the program. The program and the memory outlive it. Errors: kUnsupported where it does not
  /// fit, kInternal where the text is not compiled, kResourceExhausted.
  static Result<std::unique_ptr<Chip>> make(const Program& program, const Memory& memory);

  Status takes(const DeviceCalls& calls) const override;
  Status run(const DeviceCalls& calls, Id queue, Flight& flight) override;
  std::string describe() const override;

  /// Whose texts are the same share it; they can be trained together.
  const std::shared_ptr<Library>& library() const { return library_; }

  /// One network's calls, see run_together.
  struct Part {
    const Chip* chip;
    DeviceCalls calls;
  };
  /// As `run` for each, a dispatch each side by side. The chips take the calls. Errors: as run, of any.
  static Status run_together(std::span<const Part> parts, Id queue, Flight& flight);

 private:
  Chip(const Program& program, const Memory& memory) : program_(program), memory_(memory) {}

  Status compile(const ChipOptions& options);

  /// Encodes the calls from `first` on, so many.
  void launch(Id encoder, const DeviceCalls& calls, std::int64_t first, std::int64_t count) const;

  const Program& program_;
  const Memory& memory_;
  ChipText text_;
  Owned label_;
  std::shared_ptr<Library> library_;
  Kernel<kernels::TrainByPlaces> kernel_;
  Array<kernels::HeldPlace> places_;
};

}  // namespace weft::metal
