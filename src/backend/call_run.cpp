// Runs of calls on a device that has no way of its own to run many.
#include "src/backend/call_run.h"

#include "src/backend/backend.h"
#include "src/core/try.h"

namespace weft {

Result<std::unique_ptr<HeldRows>> Backend::hold(const SampleRows& rows) { return std::make_unique<HeldRows>(rows); }

RunArguments Backend::arguments(const CallRun& calls, std::int64_t call) {
  const SampleRows& rows = calls.samples->rows();
  const std::span<const std::int64_t> batch = calls.batch_of(call);
  return {calls.rates[static_cast<std::size_t>(call)], calls.clock + static_cast<std::uint64_t>(call),
          inputs_.gather(rows.inputs, rows.input_elements, rows.element_bytes, batch),
          targets_.gather(rows.targets, rows.target_elements, rows.element_bytes, batch)};
}

Status Backend::run_calls(const Program& program, const CallRun& calls) {
  for (std::int64_t i = 0; i < calls.count(); ++i) {
    WEFT_RETURN_IF_ERROR(run(program, arguments(calls, i)));
    if (program.loss_value == kNoBuffer) continue;
    double loss = 0.0;
    std::uint64_t finite = 0;
    WEFT_RETURN_IF_ERROR(read(program.loss_value, 0, &loss, sizeof loss));
    WEFT_RETURN_IF_ERROR(read(program.loss_finite, 0, &finite, sizeof finite));
    calls.losses->add(loss, finite != 0);
  }
  return {};
}

}  // namespace weft
