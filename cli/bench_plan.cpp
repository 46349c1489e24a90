// Plans a step as a session would.
#include "cli/bench_plan.h"

#include <memory>
#include <variant>

#include <fmt/format.h>

#include "cli/model_option.h"
#include "src/core/memory.h"
#include "src/core/try.h"
#include "src/schedule/schedule.h"
#include "weft/initialise.hpp"

namespace weft::cli {
namespace {

/// Bytes of weights, samples and activations, by a large measure.
double least_bytes(const BenchWork& work) {
  double bytes = 0.0;
  for (std::size_t i = 0; i < work.widths.sizes.size(); ++i) {
    const auto width = static_cast<double>(work.widths.sizes[i]);
    bytes += 4.0 * width * static_cast<double>(work.batch);
    if (i > 0) bytes += 4.0 * width * static_cast<double>(work.widths.sizes[i - 1]);
  }
  return bytes * static_cast<double>(work.members);
}

std::int64_t bytes_of(const Buffer& buffer) {
  return buffer.elements * buffer.slots * (buffer.element == Element::kStorage ? 4 : 8);
}

}  // namespace

Result<PlannedStep> plan_step(const BenchWork& work, Mode mode, const BenchSettings& settings) {
  if (least_bytes(work) > static_cast<double>(machine_memory()) / 2.0)
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("{:.1f} GiB of weights and activations, wanted at most half of this machine's {:.1f}",
                              least_bytes(work) / 0x1p30, static_cast<double>(machine_memory()) / 0x1p30));
  Model model = model_of_widths(work.widths, settings.activation, settings.bias, mode.schedule);
  WEFT_RETURN_IF_ERROR(
      std::visit([](auto& root) { return root.initialise({.initialiser = Initialiser::kZeros}); }, model));
  WEFT_ASSIGN_OR_RETURN(
      const std::unique_ptr<Plan> plan,
      std::visit([&](const auto& root) { return make_plan(root, settings.loss, optimizer_of(settings)); }, model));
  Call call{.mode = mode,
            .input = {work.batch, work.widths.sizes.front()},
            .target = {work.batch, work.widths.sizes.back()},
            .ticks = ticks_through(model)};
  if (mode.schedule == Schedule::kLine) call.oldest = line_depth(*plan) - 1;  // as it runs once full
  WEFT_RETURN_IF_ERROR(build_training(*plan, call).status());
  PlannedStep step;
  for (BufferId id = 0; id < plan->buffers.size(); ++id) {
    const Buffer& buffer = plan->buffers[id];
    if (buffer.role == Role::kParameter) step.weights += buffer.elements;
    if (buffer.role == Role::kScratch || buffer.role == Role::kPipe) step.tape_bytes += bytes_of(buffer);
  }
  step.weights *= work.members, step.tape_bytes *= work.members;
  return step;
}

}  // namespace weft::cli
