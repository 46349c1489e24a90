// Gathering batches, and runs of calls on a device that has no way of its own to run many.
#include "src/backend/call_run.h"

#include <cstring>

#include "src/backend/backend.h"
#include "src/core/try.h"

namespace weft {
namespace {

void gather_rows(const void* from, std::size_t row_bytes, std::span<const std::int64_t> batch,
                 std::vector<double>& to) {
  constexpr std::size_t kAhead = 8;  // rows: they lie anywhere, so the processor cannot foresee them
  to.resize((batch.size() * row_bytes + sizeof(double) - 1) / sizeof(double));
  const auto* source = static_cast<const std::byte*>(from);
  auto* into = reinterpret_cast<std::byte*>(to.data());
  const auto at = [&](std::size_t i) { return source + static_cast<std::size_t>(batch[i]) * row_bytes; };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i + kAhead < batch.size()) __builtin_prefetch(at(i + kAhead));
    std::memcpy(into, at(i), row_bytes);
    into += row_bytes;
  }
}

}  // namespace

void CallStaging::gather(const SampleRows& rows, std::span<const std::int64_t> batch) {
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements) * rows.element_bytes; };
  gather_rows(rows.inputs, bytes(rows.input_elements), batch, input_);
  gather_rows(rows.targets, bytes(rows.target_elements), batch, target_);
}

Result<std::unique_ptr<HeldRows>> Backend::hold(const SampleRows& rows) { return std::make_unique<HeldRows>(rows); }

Status Backend::run_calls(const Program& program, const CallRun& calls) {
  for (std::int64_t i = 0; i < calls.count(); ++i) {
    const auto call = static_cast<std::size_t>(i);
    staging_.gather(calls.samples->rows(), calls.batch_of(i));
    WEFT_RETURN_IF_ERROR(run(program, {calls.rates[call], calls.clock + call, staging_.input(), staging_.target()}));
    calls.losses[call] = {};
    if (program.loss_value == kNoBuffer) continue;
    std::uint64_t finite = 0;
    WEFT_RETURN_IF_ERROR(read(program.loss_value, 0, &calls.losses[call].loss, sizeof(double)));
    WEFT_RETURN_IF_ERROR(read(program.loss_finite, 0, &finite, sizeof finite));
    calls.losses[call].finite = finite != 0;
  }
  return {};
}

}  // namespace weft
