// Sending programs to the interpreter's kernel.
#include "src/backend/cuda/chip_interpreter.h"

#include <fmt/format.h>

#include "src/backend/cuda/chip_kernel.h"
#include "src/backend/cuda/status.h"
#include "src/core/try.h"

namespace weft::cuda {

Result<std::unique_ptr<ChipInterpreter>> ChipInterpreter::make(const Program& program, DeviceMemory& memory) {
  int most = 0;
  WEFT_RETURN_IF_ERROR(
      to_status(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, memory.device()),
                "asking for a block's memory"));
  WEFT_ASSIGN_OR_RETURN(PlacedText text, place_program(program, memory.buffers(), most));
  std::unique_ptr<ChipInterpreter> made(new ChipInterpreter(program, memory, std::move(text)));
  WEFT_RETURN_IF_ERROR(copy_in(made->text_.bytes, made->placed_, "a program to interpret", memory.stream()));
  made->held_ = places_of(made->text_.held, memory);
  return made;
}

Status ChipInterpreter::takes(const DeviceCalls& calls) const {
  return check_rows("cuda", program_, calls.samples(), {calls.batch, text_.input_elements},
                    {calls.batch, text_.target_elements});
}

Status ChipInterpreter::run(const DeviceCalls& calls) {
  member_.clear();
  write_member(calls, held_, member_);
  WEFT_RETURN_IF_ERROR(copy_in(member_, sent_, "what an interpreter needs", memory_.stream()));
  return to_status(
      launch_interpreter(placed_.data(), sent_.data(), static_cast<std::size_t>(text_.memory_bytes), memory_.stream()),
      fmt::format("interpreting '{}'", program_.title));
}

std::string ChipInterpreter::describe() const {
  return fmt::format("one block of {} threads, {:.1f} KiB on chip, interpreted", kInterpreterThreads,
                     static_cast<double>(text_.memory_bytes) / 1024.0);
}

}  // namespace weft::cuda
