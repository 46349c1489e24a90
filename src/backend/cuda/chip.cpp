// Making and launching the kernel of one block.
#include "src/backend/cuda/chip.h"

#include <fmt/format.h>

#include <cstdlib>

#include "src/backend/cuda/chip_member.h"
#include "src/backend/cuda/status.h"
#include "src/core/try.h"
#include "src/generate/kernel_text.h"

namespace weft::cuda {
namespace {

/// Orders streams among each other.
class Event {
 public:
  Event() = default;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Status open() { return to_status(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
  /// What `after` gets from now on waits for what `before` has by now.
  Status order(cudaStream_t before, cudaStream_t after) const {
    WEFT_RETURN_IF_ERROR(to_status(cudaEventRecord(event_, before), "recording an event"));
    return to_status(cudaStreamWaitEvent(after, event_, 0), "waiting for an event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

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
  return chip;
}

Status Chip::check(const DeviceCalls& calls) const {
  // Without rows of samples there is one batch, as the program reads it.
  const auto agrees = [&](const Extent& wanted, std::int64_t elements) {
    return wanted.rows == 0 || elements == 0 ||
           (wanted.rows % calls.batch == 0 && wanted.elements() == calls.batch * elements);
  };
  if (agrees(text_.input, calls.input_elements) && agrees(text_.target, calls.target_elements)) return {};
  return {StatusCode::kInternal,
          fmt::format("cuda: '{}' takes {} x {} inputs and {} x {} targets, seen {} samples of {} and {} elements",
                      program_.title, text_.input.rows, text_.input.cols, text_.target.rows, text_.target.cols,
                      calls.batch, calls.input_elements, calls.target_elements)};
}

Status Chip::run(const DeviceCalls& calls) {
  const Part part{this, calls};
  return run_together({&part, 1});
}

Status Chip::run_together(std::span<const Part> parts) {
  Chip& first = *parts.front().chip;
  const cudaStream_t stream = first.memory_.stream();
  const std::size_t bytes = member_bytes(first.text_.held.size());
  first.members_.resize(bytes * parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    WEFT_RETURN_IF_ERROR(parts[i].chip->check(parts[i].calls));
    const Chip& chip = *parts[i].chip;
    write_member(parts[i].calls, chip.memory_, chip.text_.held, first.members_.data() + i * bytes);
  }
  WEFT_RETURN_IF_ERROR(first.sent_.reserve(first.members_.size(), "what blocks need"));
  Event event;
  WEFT_RETURN_IF_ERROR(event.open());
  // The launch comes after all that the members' streams have, and before all that they get.
  for (const Part& part : parts.subspan(1)) WEFT_RETURN_IF_ERROR(event.order(part.chip->memory_.stream(), stream));
  WEFT_RETURN_IF_ERROR(to_status(
      cudaMemcpyAsync(first.sent_.data(), first.members_.data(), first.members_.size(), cudaMemcpyHostToDevice, stream),
      "sending what blocks need"));
  const void* members = first.sent_.data();
  void* arguments[] = {&members};
  WEFT_RETURN_IF_ERROR(to_status(cudaLaunchKernel(first.kernel_, dim3(static_cast<unsigned>(parts.size())),
                                                  dim3(static_cast<unsigned>(first.text_.block.threads)), arguments,
                                                  static_cast<std::size_t>(first.text_.bytes), stream),
                                 fmt::format("launching '{}'", first.program_.title)));
  for (const Part& part : parts.subspan(1)) WEFT_RETURN_IF_ERROR(event.order(stream, part.chip->memory_.stream()));
  return {};
}

std::string Chip::describe() const {
  return fmt::format("one block of {} threads, {:.1f} KiB on chip, {} levels, generated", text_.block.threads,
                     static_cast<double>(text_.bytes) / 1024.0, text_.levels);
}

}  // namespace weft::cuda
