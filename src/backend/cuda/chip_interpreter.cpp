// Sending programs to the interpreter's kernel.
#include "src/backend/cuda/chip_interpreter.h"

#include <fmt/format.h>

#include "src/backend/cuda/chip_kernel.h"
#include "src/backend/cuda/chip_member.h"
#include "src/backend/cuda/status.h"
#include "src/core/try.h"

namespace weft::cuda {
namespace {

Status send(const std::vector<std::byte>& bytes, DeviceArray<std::byte>& to, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(to.reserve(bytes.size(), "what an interpreter needs"));
  return to_status(cudaMemcpyAsync(to.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream),
                   "sending what an interpreter needs");
}

}  // namespace

Result<std::unique_ptr<ChipInterpreter>> ChipInterpreter::make(const Program& program, DeviceMemory& memory) {
  int most = 0;
  WEFT_RETURN_IF_ERROR(
      to_status(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, memory.device()),
                "asking for a block's memory"));
  WEFT_ASSIGN_OR_RETURN(PlacedText text, place_program(program, memory.buffers(), most));
  std::unique_ptr<ChipInterpreter> made(new ChipInterpreter(program, memory, std::move(text)));
  WEFT_RETURN_IF_ERROR(send(made->text_.bytes, made->placed_, memory.stream()));
  return made;
}

Status ChipInterpreter::run(const DeviceCalls& calls) {
  const auto agrees = [&](std::int64_t wanted, std::int64_t row) {
    return wanted == 0 || row == 0 || wanted == row * calls.batch;
  };
  if (!agrees(text_.input_elements, calls.input_elements) || !agrees(text_.target_elements, calls.target_elements))
    return {StatusCode::kInternal, fmt::format("cuda: '{}' takes {} and {} numbers, seen {} samples of {} and {}",
                                               program_.title, text_.input_elements, text_.target_elements, calls.batch,
                                               calls.input_elements, calls.target_elements)};
  member_.resize(member_bytes(text_.held.size()));
  write_member(calls, memory_, text_.held, member_.data());
  WEFT_RETURN_IF_ERROR(send(member_, sent_, memory_.stream()));
  return to_status(
      launch_interpreter(placed_.data(), sent_.data(), static_cast<std::size_t>(text_.memory_bytes), memory_.stream()),
      fmt::format("interpreting '{}'", program_.title));
}

std::string ChipInterpreter::describe() const {
  return fmt::format("one block of {} threads, {:.1f} KiB on chip, interpreted", kInterpreterThreads,
                     static_cast<double>(text_.memory_bytes) / 1024.0);
}

}  // namespace weft::cuda
