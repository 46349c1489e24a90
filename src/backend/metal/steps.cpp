// Encoding a call: its rows gathered, the program's instructions in order, what it came to noted.
#include "src/backend/metal/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/backend/device_buffers.h"
#include "src/backend/metal/pool.h"
#include "src/core/try.h"
#include "src/kernels/encode.h"

namespace weft::metal {

Result<std::unique_ptr<Steps>> Steps::make(const Program& program, const Memory& memory) {
  std::unique_ptr<Steps> steps(new Steps(program, memory));
  Library& library = memory.device().kernels();
  steps->label_ = Owned::shared(objc().string(program.title));
  for (const Instruction& code : program.code) {
    const kernels::Step step = kernels::encode(code, program);
    WEFT_ASSIGN_OR_RETURN(const StepKernel kernel, step_kernel(library, step.op));
    WEFT_ASSIGN_OR_RETURN(std::unique_ptr<ProductStep> product, ProductStep::make(code, program, memory));
    steps->launches_.push_back({&code, step, kernel, grid_of(step, kernel), std::move(product)});
  }
  WEFT_ASSIGN_OR_RETURN(steps->gather_, WEFT_METAL_KERNEL(library, gather));
  WEFT_ASSIGN_OR_RETURN(steps->note_, WEFT_METAL_KERNEL(library, note));
  steps->reads_input_ = device_buffers::argument_elements(program, BufferTable::kInput) != 0;
  steps->reads_target_ = device_buffers::argument_elements(program, BufferTable::kTarget) != 0;
  return steps;
}

Status Steps::run(const DeviceCalls& calls, Id queue, Flight& flight) {
  for (std::int64_t call = 0; call < calls.count; ++call) {
    const Pool pool;
    WEFT_ASSIGN_OR_RETURN(Command command, Command::begin(queue, label_.get()));
    gather(command, calls, call);
    run_program(command, calls.rates.host[call], calls.clock + static_cast<std::uint64_t>(call));
    note(command, calls, call);
    WEFT_RETURN_IF_ERROR(flight.add(std::move(command)));
  }
  return {};
}

void Steps::gather(Command& command, const DeviceCalls& calls, std::int64_t call) const {
  const auto rows = [&](const Slice<const float>& from, std::int64_t elements, BufferId argument) {
    gather_.launch(command.encoder(), grid_of_items(calls.batch * elements, gather_.max_threads()),
                   {call * calls.batch, calls.batch, elements}, from, calls.order, memory_.at({argument}));
  };
  if (!calls.has_rows()) return;
  if (reads_input_) rows(calls.inputs, calls.input_elements, BufferTable::kInput);
  if (reads_target_) rows(calls.targets, calls.target_elements, BufferTable::kTarget);
}

void Steps::run_program(Command& command, float rate, std::uint64_t clock) const {
  for (const Launch& launch : launches_) {
    if (launch.product != nullptr) {
      launch.product->encode(command, rate, clock);
      continue;
    }
    const auto in = [&](std::size_t i) { return memory_.at(launch.code->in[i], clock); };
    const auto out = [&](std::size_t i) { return memory_.at(launch.code->out[i], clock); };
    const auto when = [&](std::size_t i) { return memory_.at<std::uint32_t>({launch.code->when[i].counter}, clock); };
    launch.kernel.launch(command.encoder(), launch.grid, launch.step, rate, in(0), in(1), in(2), out(0), out(1), out(2),
                         when(0), when(1), when(2));
  }
}

void Steps::note(Command& command, const DeviceCalls& calls, std::int64_t call) const {
  if (!calls.has_rows()) return;
  const kernels::Note of{call, program_.loss_value == kNoBuffer ? 0u : 1u};
  note_.launch(command.encoder(), {1, 1}, of, memory_.at({program_.loss_value}),
               memory_.at<std::uint32_t>({program_.loss_finite}), calls.outcomes);
}

std::string Steps::describe() const {
  const auto products =
      std::count_if(launches_.begin(), launches_.end(), [](const Launch& launch) { return launch.product != nullptr; });
  return fmt::format("steps: {} kernels and {} products of Metal Performance Shaders a call",
                     std::ssize(launches_) - products, products);
}

}  // namespace weft::metal
