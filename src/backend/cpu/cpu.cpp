// The cpu device walks a program: resolves each instruction's operands and calls the loop that does it.
#include "src/backend/cpu/cpu.h"

#include <fmt/format.h>

#include "src/backend/cpu/dense.h"
#include "src/backend/cpu/losses.h"
#include "src/backend/cpu/mesh_targets.h"
#include "src/backend/cpu/optimizers.h"
#include "src/backend/cpu/signals.h"
#include "src/backend/host_memory.h"
#include "src/core/try.h"

namespace weft {
namespace {

template <typename T>
class CpuBackend final : public Backend {
 public:
  Status reserve(const BufferTable& buffers) override { return memory_.reserve(buffers); }
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) override {
    return memory_.write(buffer, slot, data, bytes);
  }
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) override {
    return memory_.read(buffer, slot, data, bytes);
  }

  Status run(const Program& program, const RunArguments& arguments) override {
    WEFT_RETURN_IF_ERROR(memory_.check(program, arguments));
    for (const Instruction& instruction : program.code) {
      if (all_hold(instruction, arguments)) step(instruction, program, arguments);
    }
    return {};
  }

 private:
  bool all_hold(const Instruction& instruction, const RunArguments& arguments) const {
    for (const Predicate& predicate : instruction.when) {
      if (!predicate.present()) continue;
      const auto* counter = static_cast<const std::uint64_t*>(memory_.resolve({predicate.counter}, arguments));
      if (!predicate.holds(*counter)) return false;
    }
    return true;
  }

  void step(const Instruction& i, const Program& program, const RunArguments& arguments) {
    using cpu::Sizes;
    const auto in = [&](std::size_t at) { return static_cast<const T*>(memory_.resolve(i.in[at], arguments)); };
    const auto out = [&](std::size_t at) { return static_cast<T*>(memory_.resolve(i.out[at], arguments)); };
    const auto real_in = [&](std::size_t at) {
      return static_cast<const double*>(memory_.resolve(i.in[at], arguments));
    };
    const auto real_out = [&](std::size_t at) { return static_cast<double*>(memory_.resolve(i.out[at], arguments)); };
    const auto counter_in = [&](std::size_t at) {
      return static_cast<const std::uint64_t*>(memory_.resolve(i.in[at], arguments));
    };
    const auto counter_out = [&](std::size_t at) {
      return static_cast<std::uint64_t*>(memory_.resolve(i.out[at], arguments));
    };
    const Sizes shape{i.m, i.n, i.k};
    const std::int64_t elements = i.m * i.n;
    const double rate = arguments.lr * i.scale;

    switch (i.op) {
      case Opcode::kForward: return cpu::forward(shape, in(0), in(1), in(2), i.activation, out(0), out(1));
      case Opcode::kDelta: return cpu::delta(elements, i.scale, in(0), i.activation, in(1), out(0));
      case Opcode::kGradInput: return cpu::grad_input(shape, in(0), in(1), i.accumulate, out(0));
      case Opcode::kWeightGrad: return cpu::weight_grad(shape, in(0), in(1), i.accumulate, out(0));
      case Opcode::kBiasGrad: return cpu::bias_grad(shape, in(0), i.accumulate, out(0));
      case Opcode::kApply:
        return cpu::apply(elements, program.optimizer, rate, in(0), counter_in(1), out(0), out(1), out(2));
      case Opcode::kUpdate: return cpu::update(shape, rate, in(0), in(1), out(0));
      case Opcode::kBiasUpdate: return cpu::bias_update(shape, rate, in(0), out(0));

      case Opcode::kScale: return cpu::scale(elements, i.scale, real_in(1), in(0), i.accumulate, out(0));
      case Opcode::kSubtract: return cpu::subtract(elements, in(0), in(1), out(0));
      case Opcode::kZero: return cpu::zero(elements, out(0));
      case Opcode::kProject: return cpu::project(i.k, i.n, i.scale, in(0), out(0));
      case Opcode::kCopyColumns:
        return cpu::copy_columns(i.m, i.n, i.scale, {i.k, i.in_at}, in(0), i.accumulate, {i.width, i.out_at}, out(0));
      case Opcode::kSoftmax: return cpu::softmax(i.m, i.n, in(0), out(0));
      case Opcode::kSoftmaxGrad: return cpu::softmax_grad(i.m, i.n, in(0), in(1), out(0));
      case Opcode::kScaleRows:
        return cpu::scale_rows(i.m, i.n, i.scale, in(0), {i.width, i.in_at}, in(1), i.accumulate, out(0));
      case Opcode::kRowDot: return cpu::row_dot(i.m, i.n, in(0), in(1), {i.width, i.out_at}, out(0));

      case Opcode::kLossGap:
        return cpu::loss_gap(program.loss, i.m, i.n, in(0), in(1), out(0), real_out(1), counter_out(2));
      case Opcode::kRms: return cpu::rms(elements, in(0), real_out(0));
      case Opcode::kClip: return cpu::clip(elements, i.scale, in(0), real_out(0));
      case Opcode::kRatio: *real_out(0) = i.scale * *real_in(0) / *real_in(1); return;
      case Opcode::kIsFinite: return cpu::is_finite(elements, in(0), counter_out(0));
      case Opcode::kCount: *counter_out(0) += 1; return;
      case Opcode::kSet: *counter_out(0) = i.value; return;
      case Opcode::kEquals: *counter_out(0) = *counter_in(0) == i.value ? 1 : 0; return;
      case Opcode::kRefresh: {
        const bool due = *counter_in(0) % i.period == 0;
        const bool other = *counter_in(1) != i.value;
        const bool unusable = !(*real_in(2) > 1e-12);  // also where it is not a number
        *counter_out(0) = due || other || unusable ? 1 : 0;
        return;
      }

      case Opcode::kTargetBelow: return cpu::target_below(shape, in(0), in(1), out(0));
      case Opcode::kLinkBudget: return cpu::link_budget(elements, i.scale, in(0), in(1), real_out(0), counter_out(1));
      case Opcode::kAscend: return cpu::ascend(elements, rate, in(0), *real_in(1), out(0));
    }
  }

  HostMemory memory_{"cpu", sizeof(T)};
};

Status available() { return {}; }

Result<std::unique_ptr<Backend>> create(const BackendOptions& options) {
  const DType storage = options.storage;
  switch (storage) {
    case DType::kFloat32: return std::unique_ptr<Backend>(std::make_unique<CpuBackend<float>>());
    case DType::kFloat64: return std::unique_ptr<Backend>(std::make_unique<CpuBackend<double>>());
    default:
      return Status{StatusCode::kUnsupported,
                    fmt::format("cpu: storage {} is not carried out, wanted float32 or float64", to_string(storage))};
  }
}

}  // namespace

BackendEntry cpu_entry() { return {"cpu", "reference, slow", available, create}; }

}  // namespace weft
