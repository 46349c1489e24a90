// Making and launching the kernel of one block.
#include "src/backend/cuda/chip.h"

#include <fmt/format.h>

#include <cstdlib>

#include "src/backend/cuda/status.h"
#include "src/core/try.h"
#include "src/generate/kernel_text.h"

namespace weft::cuda {

Result<std::unique_ptr<Chip>> Chip::make(const Program& program, DeviceMemory& memory, double most_cycles) {
  int most = 0;
  WEFT_RETURN_IF_ERROR(
      to_status(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, memory.device()),
                "asking for a block's memory"));
  WEFT_ASSIGN_OR_RETURN(ChipText text, chip_text(program, memory.buffers(), {.most_bytes = most, .block = {0, 32}}));
  if (text.cycles > most_cycles)
    return Status{StatusCode::kUnsupported,
                  fmt::format("{:.0f} cycles a call estimated, at most {:.0f} wanted", text.cycles, most_cycles)};
  std::unique_ptr<Chip> chip(new Chip(program, memory, std::move(text)));
  WEFT_ASSIGN_OR_RETURN(chip->module_, Module::get(program.title, std::string(kernel_text()) + chip->text_.text));
  WEFT_ASSIGN_OR_RETURN(chip->kernel_, chip->module_->kernel("train"));
  WEFT_RETURN_IF_ERROR(to_status(cudaFuncSetAttribute(chip->kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                      static_cast<int>(chip->text_.bytes)),
                                 "asking for a block's memory"));
  chip->held_ = places_of(chip->text_.held, memory);
  return chip;
}

Status Chip::takes(const DeviceCalls& calls) const {
  return check_rows("cuda", program_, calls.samples(), {text_.input.rows, text_.input.elements()},
                    {text_.target.rows, text_.target.elements()});
}

Status Chip::run(const DeviceCalls& calls) {
  const Part part{this, calls};
  member_.clear();
  describe_members({&part, 1}, member_);
  WEFT_RETURN_IF_ERROR(copy_in(member_, sent_, "what a block needs", stream()));
  return launch({&part, 1}, sent_.data(), stream());
}

void Chip::describe_members(std::span<const Part> parts, std::vector<std::byte>& to) {
  for (const auto& [chip, calls] : parts) write_member(calls, chip->held_, to);
}

Status Chip::launch(std::span<const Part> parts, const std::byte* members, cudaStream_t stream) {
  const Chip& first = *parts.front().chip;
  void* arguments[] = {&members};
  return to_status(cudaLaunchKernel(first.kernel_, dim3(static_cast<unsigned>(parts.size())),
                                    dim3(static_cast<unsigned>(first.text_.block.threads)), arguments,
                                    static_cast<std::size_t>(first.text_.bytes), stream),
                   fmt::format("launching '{}'", first.program_.title));
}

std::string Chip::describe() const {
  return fmt::format("one block of {} threads, {:.1f} KiB on chip, {} levels, generated", text_.block.threads,
                     static_cast<double>(text_.bytes) / 1024.0, text_.levels);
}

}  // namespace weft::cuda
