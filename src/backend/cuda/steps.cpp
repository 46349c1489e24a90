// Steps: a kernel for every instruction, call after call.
#include <fmt/format.h>

#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/status.h"
#include "src/backend/cuda/way.h"
#include "src/core/try.h"
#include "src/kernels/encode.h"

namespace weft::cuda {
namespace {

class Steps final : public Way {
 public:
  Steps(const Program& program, DeviceMemory& memory) : program_(program), memory_(memory) {}

  Status run(const DeviceCalls& calls) override {
    for (std::int32_t call = 0; call < calls.count; ++call) {
      WEFT_RETURN_IF_ERROR(begin(calls, call));
      const std::uint64_t clock = calls.clock + static_cast<std::uint64_t>(call);
      for (const Instruction& instruction : program_.code) {
        WEFT_RETURN_IF_ERROR(told(launch(kernels::encode(instruction, program_), memory_.operands(instruction, clock),
                                         calls.rates + call, memory_.stream()),
                                  instruction));
      }
      WEFT_RETURN_IF_ERROR(end(calls.outcomes + call, clock));
    }
    return {};
  }

  std::string describe() const override { return fmt::format("{} kernels a call", program_.code.size()); }

 private:
  /// The call's batch to where the program reads its input and target.
  Status begin(const DeviceCalls& calls, std::int32_t call) {
    const Arguments arguments = memory_.arguments();
    if (calls.inputs == nullptr || calls.inputs == arguments.input) return {};
    const Batch batch{calls.order, call, calls.batch};
    WEFT_RETURN_IF_ERROR(to_status(gather(batch, calls.inputs, calls.input_elements, arguments.input, memory_.stream()),
                                   "gathering inputs"));
    return to_status(gather(batch, calls.targets, calls.target_elements, arguments.target, memory_.stream()),
                     "gathering targets");
  }

  Status end(Outcome* outcome, std::uint64_t clock) {
    const float* loss = nullptr;
    const std::uint32_t* finite = nullptr;
    if (program_.loss_value != kNoBuffer) {
      loss = reinterpret_cast<const float*>(memory_.place({program_.loss_value}, clock));
      finite = reinterpret_cast<const std::uint32_t*>(memory_.place({program_.loss_finite}, clock));
    }
    return to_status(record(loss, finite, outcome, memory_.stream()), "recording a loss");
  }

  Status told(cudaError_t error, const Instruction& instruction) const {
    if (error == cudaSuccess) return {};
    return to_status(error, fmt::format("instruction {} ({}) of '{}'", &instruction - program_.code.data(),
                                        to_string(instruction.op), program_.title));
  }

  const Program& program_;
  DeviceMemory& memory_;
};

}  // namespace

std::unique_ptr<Way> make_steps(const Program& program, DeviceMemory& memory) {
  return std::make_unique<Steps>(program, memory);
}

}  // namespace weft::cuda
