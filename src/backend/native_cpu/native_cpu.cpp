// The native_cpu device walks a prepared program and calls the loop or product that does each instruction.
#include "src/backend/native_cpu/native_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "src/backend/host_memory.h"
#include "src/backend/native_cpu/bias.h"
#include "src/backend/native_cpu/blas.h"
#include "src/backend/native_cpu/dense.h"
#include "src/backend/native_cpu/losses.h"
#include "src/backend/native_cpu/mesh_targets.h"
#include "src/backend/native_cpu/optimizers.h"
#include "src/backend/native_cpu/prepared.h"
#include "src/backend/native_cpu/projection.h"
#include "src/backend/native_cpu/simd.h"
#include "src/backend/native_cpu/subnormals.h"
#include "src/backend/native_cpu/team.h"
#include "src/backend/native_cpu/team_loops.h"
#include "src/core/try.h"

namespace weft {
namespace {

class NativeCpuBackend final : public Backend {
 public:
  explicit NativeCpuBackend(int threads) : team_(threads) {}

  Status reserve(const BufferTable& buffers) override {
    prepared_.forget();
    return memory_.reserve(buffers);
  }
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) override {
    return memory_.write(buffer, slot, data, bytes);
  }
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) override {
    return memory_.read(buffer, slot, data, bytes);
  }

  Status run(const Program& program, const RunArguments& arguments) override {
    WEFT_ASSIGN_OR_RETURN(native_cpu::Prepared* const prepared, ready(program, arguments));
    const native_cpu::FlushSubnormals flush;
    run_steps(*prepared, program, arguments);
    return {};
  }

  Status run_calls(const Program& program, const CallRun& calls) override {
    if (calls.count() == 0) return {};
    RunArguments next = arguments(calls, 0);
    WEFT_ASSIGN_OR_RETURN(native_cpu::Prepared* const prepared, ready(program, next));
    const auto* loss = static_cast<const double*>(memory_.resolve({program.loss_value}, {}));
    const auto* finite = static_cast<const std::uint64_t*>(memory_.resolve({program.loss_finite}, {}));
    const native_cpu::FlushSubnormals flush;
    for (std::int64_t call = 0; call < calls.count(); ++call) {
      if (call > 0) next = arguments(calls, call);
      run_steps(*prepared, program, next);
      if (loss != nullptr) calls.losses->add(*loss, *finite != 0);
    }
    return {};
  }

 private:
  /// The program prepared, with all that it needs to run.
  Result<native_cpu::Prepared*> ready(const Program& program, const RunArguments& arguments) {
    WEFT_ASSIGN_OR_RETURN(native_cpu::Prepared* const prepared,
                          prepared_.get(program, memory_, arguments, team_.threads()));
    WEFT_RETURN_IF_ERROR(prepare_scratch(*prepared));
    WEFT_RETURN_IF_ERROR(team_.usable());
    return prepared;
  }

  void run_steps(native_cpu::Prepared& prepared, const Program& program, const RunArguments& arguments) {
    const bool moved = arguments.input != prepared.input_at || arguments.target != prepared.target_at;
    prepared.input_at = arguments.input, prepared.target_at = arguments.target;
    auto together = prepared.side_by_side.begin();
    for (std::size_t i = 0; i < prepared.steps.size(); ++i) {
      native_cpu::Step& step = prepared.steps[i];
      if (step.of_ring || (moved && step.of_call)) step.find_operands(memory_, arguments);
      if (together != prepared.side_by_side.end() && i >= together->first()) {
        if (i + 1 < together->first() + together->count()) continue;  // the last one runs them all
        (together++)->run(team_, prepared.steps, arguments.lr);
        continue;
      }
      if (!step.due()) continue;
      step.kernel != nullptr ? step.kernel(step, arguments.lr) : run_step(step, program, arguments);
    }
  }

  /// Makes scratch for the widest instruction; nothing after the first run.
  Status prepare_scratch(native_cpu::Prepared& prepared) {
    if (prepared.has_scratch) return {};
    std::int64_t widest = 0;
    for (const native_cpu::Step& step : prepared.steps) {
      const Instruction& i = step.instruction;
      if (i.op == Opcode::kTargetBelow) widest = std::max(widest, i.k);
    }
    try {
      if (static_cast<std::size_t>(widest) > sums_.size()) sums_.resize(static_cast<std::size_t>(widest));
    } catch (const std::bad_alloc&) {
      return {StatusCode::kResourceExhausted, fmt::format("native_cpu: no memory for {} column sums", widest)};
    }
    prepared.has_scratch = true;
    return {};
  }

  void run_step(const native_cpu::Step& step, const Program& program, const RunArguments& arguments) {
    using namespace native_cpu;
    const Instruction& i = step.instruction;
    const auto in = [&](std::size_t n) { return static_cast<const float*>(step.in[n]); };
    const auto out = [&](std::size_t n) { return static_cast<float*>(step.out[n]); };
    const auto real_in = [&](std::size_t n) { return static_cast<const double*>(step.in[n]); };
    const auto real_out = [&](std::size_t n) { return static_cast<double*>(step.out[n]); };
    const auto counter_in = [&](std::size_t n) { return static_cast<const std::uint64_t*>(step.in[n]); };
    const auto counter_out = [&](std::size_t n) { return static_cast<std::uint64_t*>(step.out[n]); };
    const Sizes shape{i.m, i.n, i.k};
    const std::int64_t elements = i.m * i.n;
    const float a = static_cast<float>(i.scale);
    const double rate = arguments.lr * i.scale;

    switch (i.op) {
      case Opcode::kForward: return forward(team_, shape, in(0), in(1), in(2), i.activation, out(0), out(1));
      case Opcode::kDelta: return delta(team_, elements, a, in(0), i.activation, in(1), out(0));
      case Opcode::kGradInput: return grad_input(team_, shape, in(0), in(1), i.accumulate, out(0));
      case Opcode::kWeightGrad: return weight_grad(team_, shape, in(0), in(1), i.accumulate, out(0));
      case Opcode::kBiasGrad:
      case Opcode::kBiasUpdate: return bias(team_, i, arguments.lr, in(0), out(0));
      case Opcode::kApply:
        return apply(team_, elements, StepFactors(program.optimizer, rate, counter_in(1)), in(0), out(0), out(1),
                     out(2));
      case Opcode::kUpdate: return update(team_, shape, rate, in(0), in(1), out(0));

      case Opcode::kScale: {
        const float factor = i.in[1].present() ? static_cast<float>(i.scale * *real_in(1)) : a;
        return scale(team_, elements, factor, in(0), i.accumulate, out(0));
      }
      case Opcode::kSubtract: return subtract(team_, elements, in(0), in(1), out(0));
      case Opcode::kZero: return zero(team_, elements, out(0));
      case Opcode::kProject: return project(team_, i.k, i.n, a, in(0), out(0));
      case Opcode::kCopyColumns:
        return copy_columns(team_, i.m, i.n, a, in(0) + i.in_at, i.k, i.accumulate, out(0) + i.out_at, i.width);
      case Opcode::kSoftmax: return softmax(team_, i.m, i.n, in(0), out(0));
      case Opcode::kSoftmaxGrad: return softmax_grad(team_, i.m, i.n, in(0), in(1), out(0));
      case Opcode::kScaleRows:
        return scale_rows(team_, i.m, i.n, a, in(1) + i.in_at, i.width, in(0), i.accumulate, out(0));
      case Opcode::kRowDot: return row_dot(team_, i.m, i.n, in(0), in(1), out(0) + i.out_at, i.width);

      case Opcode::kLossGap: {
        const double loss = program.loss == Loss::kMse ? mse_gap(team_, elements, in(0), in(1), out(0))
                                                       : cross_entropy_gap(team_, i.m, i.n, in(0), in(1), out(0));
        *real_out(1) = loss;
        *counter_out(2) = std::isfinite(loss) ? 1 : 0;
        return;
      }
      case Opcode::kRms:
        *real_out(0) = std::sqrt(squares(team_, elements, in(0)) / static_cast<double>(elements));
        return;
      case Opcode::kClip: {
        const double norm = std::sqrt(squares(team_, elements, in(0)));
        *real_out(0) = norm > i.scale ? i.scale / norm : 1.0;
        return;
      }
      case Opcode::kRatio: *real_out(0) = i.scale * *real_in(0) / *real_in(1); return;
      case Opcode::kIsFinite: *counter_out(0) = all_finite(team_, elements, in(0)) ? 1 : 0; return;
      case Opcode::kCount: *counter_out(0) += 1; return;
      case Opcode::kSet: *counter_out(0) = i.value; return;
      case Opcode::kEquals: *counter_out(0) = *counter_in(0) == i.value ? 1 : 0; return;
      case Opcode::kRefresh:
        *counter_out(0) = *counter_in(0) % i.period == 0 || *counter_in(1) != i.value || !(*real_in(2) > 1e-12) ? 1 : 0;
        return;

      case Opcode::kTargetBelow: return target_below(team_, shape, in(0), in(1), sums_.data(), out(0));
      case Opcode::kLinkBudget: {
        const double budget = link_budget(team_, elements, in(0), in(1));
        *real_out(0) = i.scale * (0.5 + 0.5 * budget);
        *counter_out(1) = budget >= 0.2 ? 1 : 0;
        return;
      }
      case Opcode::kAscend: return scale(team_, elements, static_cast<float>(rate * *real_in(1)), in(0), true, out(0));
    }
  }

  HostMemory memory_{"native_cpu", sizeof(float)};
  native_cpu::PreparedPrograms prepared_;
  native_cpu::Team team_;
  std::vector<double> sums_;  // scratch: column sums
};

Status available() { return {}; }

Result<std::unique_ptr<Backend>> create(const BackendOptions& options) {
  const DType storage = options.storage;
  if (storage != DType::kFloat32) {
    return Status{StatusCode::kUnsupported,
                  fmt::format("native_cpu: storage {} is not carried out, wanted float32 (device cpu has float64)",
                              to_string(storage))};
  }
  static std::once_flag once;
  std::call_once(once, native_cpu::keep_blas_to_one_thread);
  const int threads = options.threads > 0 ? options.threads : native_cpu::physical_cores();
  return std::unique_ptr<Backend>(std::make_unique<NativeCpuBackend>(threads));
}

}  // namespace

BackendEntry native_cpu_entry() {
  static const std::string description =
      fmt::format("{} vectors, {} cores; {} for large products", native_cpu::simd_name(), native_cpu::physical_cores(),
                  native_cpu::blas_name());
  return {"native_cpu", description, available, create};
}

}  // namespace weft
