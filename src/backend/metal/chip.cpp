// Making and launching the kernel of one group.
#include "src/backend/metal/chip.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/backend/metal/pool.h"
#include "src/backend/rows_read.h"
#include "src/core/try.h"

namespace weft::metal {
namespace {

// A GPU that shows the screen too must not be held for long: so many calls of one dispatch, or fewer where they are
// estimated to take more cycles than this, some tenths of a second.
constexpr std::int64_t kMostCalls = 4096;
constexpr double kMostCycles = 1e8;

}  // namespace

Result<std::unique_ptr<Chip>> Chip::make(const Program& program, const Memory& memory) {
  std::unique_ptr<Chip> chip(new Chip(program, memory));
  ChipOptions options{.most_bytes = static_cast<std::int64_t>(objc().max_threadgroup_memory(memory.device().id())),
                      .block = {0, 32}};
  WEFT_RETURN_IF_ERROR(chip->compile(options));
  // How many threads a kernel may have is known once it is compiled.
  if (const auto most = static_cast<int>(chip->kernel_.max_threads()); most < chip->text_.block.threads) {
    options.most_threads = most;
    WEFT_RETURN_IF_ERROR(chip->compile(options));
  }
  if (const auto most = chip->kernel_.max_threads(); most < static_cast<UInteger>(chip->text_.block.threads))
    return Status{StatusCode::kUnsupported, fmt::format("{} threads wanted, the GPU runs the kernel with at most {}",
                                                        chip->text_.block.threads, most)};
  chip->label_ = Owned::shared(objc().string(program.title));
  const std::vector<BufferId>& held = chip->text_.held;
  WEFT_RETURN_IF_ERROR(chip->places_.reserve(memory.device(), held.size(), "the places of a program's buffers"));
  std::transform(held.begin(), held.end(), chip->places_.data(), [&](BufferId buffer) {
    return kernels::HeldPlace{memory.float_offset(buffer), memory.buffers()[buffer].elements};
  });
  return chip;
}

Status Chip::compile(const ChipOptions& options) {
  WEFT_ASSIGN_OR_RETURN(text_, metal_chip_text(program_, memory_.buffers(), options));
  WEFT_ASSIGN_OR_RETURN(library_,
                        memory_.device().library(fmt::format("the program '{}'", program_.title), text_.text));
  WEFT_ASSIGN_OR_RETURN(kernel_, library_->kernel<kernels::TrainByPlaces>("train"));
  return {};
}

Status Chip::takes(const DeviceCalls& calls) const {
  return check_rows("metal", program_, {calls.batch, calls.input_elements, calls.target_elements},
                    {text_.input.rows, text_.input.elements()}, {text_.target.rows, text_.target.elements()});
}

void Chip::launch(Id encoder, const DeviceCalls& calls, std::int64_t first, std::int64_t count) const {
  const bool rows = calls.has_rows();
  const kernels::MemberCalls member{calls.clock + static_cast<std::uint64_t>(first), static_cast<std::int32_t>(count),
                                    static_cast<std::int32_t>(calls.batch), rows ? 1u : 0u};
  kernel_.launch(encoder, {1, static_cast<UInteger>(text_.block.threads)}, member, places_.slice(), memory_.at({}),
                 rows ? calls.inputs : memory_.at({BufferTable::kInput}),
                 rows ? calls.targets : memory_.at({BufferTable::kTarget}),
                 rows ? calls.order.from(first * calls.batch) : memory_.at<std::int32_t>({}), calls.rates.from(first),
                 calls.outcomes.from(first));
}

Status Chip::run(const DeviceCalls& calls, Id queue, Flight& flight) {
  const Part part{this, calls};
  return run_together({&part, 1}, queue, flight);
}

Status Chip::run_together(std::span<const Part> parts, Id queue, Flight& flight) {
  const double cycles = std::max(parts.front().chip->text_.cycles, 1.0);
  const std::int64_t each = std::clamp(static_cast<std::int64_t>(kMostCycles / cycles), std::int64_t{1}, kMostCalls);
  std::int64_t most = 0;
  for (const Part& part : parts) most = std::max(most, part.calls.count);
  for (std::int64_t first = 0; first < most; first += each) {
    const Pool pool;
    WEFT_ASSIGN_OR_RETURN(Command command, Command::begin(queue, parts.front().chip->label_.get(), Order::kAtOnce));
    for (const Part& part : parts) {
      const std::int64_t count = std::min(part.calls.count - first, each);
      if (count > 0) part.chip->launch(command.encoder(), part.calls, first, count);
    }
    WEFT_RETURN_IF_ERROR(flight.add(std::move(command)));
  }
  return {};
}

std::string Chip::describe() const {
  return fmt::format("chip: one group of {} threads, {:.1f} KiB on chip, {} levels, generated", text_.block.threads,
                     static_cast<double>(text_.bytes) / 1024.0, text_.levels);
}

}  // namespace weft::metal
