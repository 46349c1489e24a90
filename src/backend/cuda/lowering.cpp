// From drafts to tasks: products prepared, launches with their arguments.
#include "src/backend/cuda/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/backend/cuda/arguments.h"
#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/status.h"
#include "src/backend/cuda/sums.h"
#include "src/core/try.h"
#include "src/kernels/encode.h"
#include "src/program/cost.h"

namespace weft::cuda {
namespace {

class Lowering {
 public:
  Lowering(const Program& program, const DeviceMemory& memory, Blas* blas)
      : program_(program), memory_(memory), blas_(blas) {}

  Result<TaskList> run() {
    WEFT_ASSIGN_OR_RETURN(const ProductWish wish, product_wish());
    const DraftList list = draft(program_, memory_, blas_ != nullptr, wish);
    made_.scratch = list.scratch;
    state_ = own(1, kMostCalls), factors_ = own(1), partials_ = own(kPartials * sizeof(float));
    for (const Draft& d : list.drafts) {
      if (d.kind == Draft::Kind::kGather && d.plain)
        made_.arguments[static_cast<std::size_t>(d.result.buffer)] =
            own(d.extent.rows * d.extent.columns * static_cast<std::int64_t>(sizeof(float)), kArgumentCopies);
    }
    for (const Draft& d : list.first) WEFT_RETURN_IF_ERROR(add(d));
    std::swap(made_.first, made_.tasks);
    for (const Draft& d : list.drafts) WEFT_RETURN_IF_ERROR(add(d));
    // Behind a gather, which then has a lane of its own.
    if (!made_.scales.empty())
      made_.tasks.insert(made_.tasks.begin() + (list.drafts.front().kind == Draft::Kind::kGather ? 1 : 0), descent());
    made_.tasks.push_back(ending());
    for (const Instruction& i : program_.code) {
      for (const Operand& in : i.in) count_slots(in);
      for (const Operand& out : i.out) count_slots(out);
    }
    return std::move(made_);
  }

 private:
  /// Scratch of the tasks' own; also a mark by which they wait for each other.
  Place own(std::int64_t bytes, std::int64_t copies = 1) { return take_scratch(made_.scratch, bytes, copies); }

  void count_slots(Operand operand) {
    if (operand.present()) made_.slots = std::lcm(made_.slots, memory_.slots(operand.buffer));
  }

  std::string what(std::int32_t instruction) const {
    if (instruction < 0) return fmt::format("'{}'", program_.title);
    return fmt::format("instruction {} ({}) of '{}'", instruction,
                       to_string(program_.code[static_cast<std::size_t>(instruction)].op), program_.title);
  }

  Task task(const Draft& d) const {
    Task made;
    made.instruction = d.instruction;
    made.when = d.when;
    for (const Predicate& p : d.when)
      if (p.present()) made.reads.push_back({{p.counter}});
    return made;
  }

  void add_task(Task task, std::function<cudaError_t(const Emission&)> launch) {
    task.put = [launch = std::move(launch), what = what(task.instruction)](const Emission& e) {
      return to_status(launch(e), what);
    };
    made_.tasks.push_back(std::move(task));
  }

  static void writes_forms(const Draft& d, Task& task) {
    if (d.plain && d.result.present()) task.writes.push_back({d.result});
    if (d.half) task.writes.push_back(*d.half);
    if (d.finite) task.writes.push_back(*d.finite);
    if (d.turned) task.writes.push_back(*d.turned);
  }

  Status add(const Draft& d) {
    switch (d.kind) {
      case Draft::Kind::kInstruction: add_instruction(d); return {};
      case Draft::Kind::kProduct: return add_product(d);
      case Draft::Kind::kFused: add_fused(d); return {};
      default: add_elementwise(d); return {};
    }
  }

  void add_instruction(const Draft& d) {
    Task made = task(d);
    made.reads.push_back(state_);
    for (const Operand& in : d.code->in)
      if (in.present()) made.reads.push_back({in});
    for (const Operand& out : d.code->out)
      if (out.present()) made.writes.push_back({out});
    if (d.code->m * d.code->n >= kLeastManyBlocks && add_sum(d, made)) return;
    const kernels::Step step = kernels::encode(*d.code, program_);
    add_task(std::move(made), [step, code = d.code](const Emission& e) {
      return launch(step, operands_of(*code, e), e.state(), e.stream);
    });
  }

  /// Whether the instruction is a sum that many blocks can do; then it is added, with what `task` says of it.
  bool add_sum(const Draft& d, Task& task) {
    const Instruction& i = *d.code;
    const auto whole = [&](Whole what) {
      task.writes.push_back(partials_);
      add_task(std::move(task), [&i, what, partials = partials_](const Emission& e) {
        return reduce(guard_of(i.when, e), what, i.m * i.n, at(e, i.in[0]), static_cast<float>(i.scale),
                      at(e, i.out[0]), {at(e, partials), e.memory->ticket}, e.stream);
      });
      return true;
    };
    switch (i.op) {
      case Opcode::kRms: return whole(Whole::kRms);
      case Opcode::kClip: return whole(Whole::kClip);
      case Opcode::kIsFinite: return whole(Whole::kIsFinite);
      case Opcode::kLossGap:
        if (program_.loss != Loss::kCrossEntropy) return false;
        task.writes.push_back(partials_);
        add_task(std::move(task), [&i, partials = partials_](const Emission& e) {
          return cross_entropy(guard_of(i.when, e), {i.m, i.n}, at(e, i.in[0]), at(e, i.in[1]), at(e, i.out[0]),
                               at(e, i.out[1]), reinterpret_cast<std::uint32_t*>(at(e, i.out[2])),
                               {at(e, partials), e.memory->ticket}, e.stream);
        });
        return true;
      case Opcode::kBiasGrad:
      case Opcode::kBiasUpdate: {
        const Place sums = own(i.n * kRowParts * static_cast<std::int64_t>(sizeof(float)));
        task.writes.push_back(sums);
        add_task(std::move(task), [&i, sums](const Emission& e) {
          const bool updates = i.op == Opcode::kBiasUpdate;
          const ColumnSums what{.accumulate = i.accumulate,
                                .state = updates ? e.state() : nullptr,
                                .scale = static_cast<float>(i.scale),
                                .to = at(e, i.out[0])};
          return sum_columns(guard_of(i.when, e), {i.m, i.n}, at(e, i.in[0]), what, at(e, sums), e.stream);
        });
        return true;
      }
      default: return false;
    }
  }

  void add_elementwise(const Draft& d) {
    Task made = task(d);
    if (d.source.present()) made.reads.push_back({d.source});
    writes_forms(d, made);
    switch (d.kind) {
      case Draft::Kind::kGather:
        made.is_gather = true;
        made.reads.push_back(state_);
        return add_task(std::move(made), [d](const Emission& e) {
          return write_gathered(e.state(), d.result.buffer == BufferTable::kTarget, d.extent, forms_of(d, e), e.stream);
        });
      case Draft::Kind::kConvert:
        return add_task(std::move(made), [d](const Emission& e) {
          return write_copy(guard_of(d.when, e), d.extent, at(e, d.source), forms_of(d, e), e.stream);
        });
      case Draft::Kind::kActivate:
        return add_task(std::move(made), [d](const Emission& e) {
          return write_activated(guard_of(d.when, e), d.extent, static_cast<kernels::Act>(d.code->activation),
                                 at(e, d.source), forms_of(d, e), e.stream);
        });
      case Draft::Kind::kProject:
        return add_task(std::move(made), [d](const Emission& e) {
          return write_projected(guard_of(d.when, e), d.extent, projection_of(d), at(e, d.source), forms_of(d, e),
                                 e.stream);
        });
      case Draft::Kind::kDelta:
        made.reads.push_back({d.code->in[1]});
        return add_task(std::move(made), [d](const Emission& e) {
          return write_delta(guard_of(d.when, e), d.extent, projection_of(d), at(e, d.source),
                             static_cast<float>(d.code->scale), static_cast<kernels::Act>(d.code->activation),
                             at(e, d.code->in[1]), forms_of(d, e), e.stream);
        });
      default: {  // kMseGap
        made.reads.push_back(state_);
        if (!d.gathers) made.reads.push_back({d.code->in[1]});
        if (d.takes_loss) made.writes.insert(made.writes.end(), {{d.code->out[1]}, {d.code->out[2]}, partials_});
        return add_task(std::move(made), [d, partials = partials_](const Emission& e) {
          return write_mse_gap(
              guard_of(d.when, e), d.extent, at(e, d.source), d.gathers ? nullptr : at(e, d.code->in[1]), e.state(),
              forms_of(d, e), d.takes_loss ? at(e, d.code->out[1]) : nullptr,
              reinterpret_cast<std::uint32_t*>(at(e, d.code->out[2])), {at(e, partials), e.memory->ticket}, e.stream);
        });
      }
    }
  }

  /// What products have in common.
  Task product_task(const Draft& d) {
    const Instruction& i = *d.code;
    made_.largest = std::max(made_.largest, product_operations(i));
    Task made = task(d);
    for (const ProductFactor& f : {d.factors.left, d.factors.right}) made.reads.push_back(place_of(f));
    if (i.op == Opcode::kForward && i.in[2].present()) made.reads.push_back({i.in[2]});
    return made;
  }

  void add_fused(const Draft& d) {
    const Instruction& i = *d.code;
    Task made = product_task(d);
    made.is_fused = true;
    if (i.op == Opcode::kUpdate) made.reads.push_back(state_);
    if (d.delta != nullptr) made.reads.push_back({d.delta->in[1]});
    if (d.between.present()) made.writes.push_back({d.between});
    if (!d.result.present()) made.writes.push_back({i.out[0]});
    writes_forms(d, made);
    const ProductShape shape = shape_of(i, d.factors, memory_);
    add_task(std::move(made), [d, shape](const Emission& e) {
      return multiply(guard_of(d.when, e), shape, at(e, place_of(d.factors.left)), at(e, place_of(d.factors.right)),
                      finish_of(d, e), e.stream);
    });
  }

  Status add_product(const Draft& d) {
    const Instruction& i = *d.code;
    const bool forward = i.op == Opcode::kForward, update = i.op == Opcode::kUpdate;
    Result<std::unique_ptr<Product>> prepared = blas_->prepare(shape_of(i, d.factors, memory_));
    if (!prepared.ok())
      return {prepared.status().code(), fmt::format("{}: {}", what(d.instruction), prepared.status().message())};
    const std::shared_ptr<Product> product = *std::move(prepared);
    made_.workspace = std::max(made_.workspace, product->workspace());

    Task made = product_task(d);
    made.is_product = true;
    made.writes.push_back({i.out[0]});
    std::ptrdiff_t scale = -1;
    if (update) {
      made.reads.push_back(factors_);
      scale = std::ssize(made_.scales);
      made_.scales.push_back(static_cast<float>(i.scale));
    }
    const bool adds = update || (!forward && i.accumulate);
    made.put = [d, product, scale, adds, blas = blas_, what = what(d.instruction)](const Emission& e) {
      const ProductRun run{.left = at(e, place_of(d.factors.left)),
                           .right = at(e, place_of(d.factors.right)),
                           .bias = d.code->op == Opcode::kForward ? at(e, d.code->in[2]) : nullptr,
                           .result = at(e, d.code->out[0]),
                           .alpha = scale < 0 ? e.memory->one : e.memory->factors + scale,
                           .beta = adds ? e.memory->one : e.memory->zero,
                           .workspace = e.memory->workspace[e.lane]};
      const Status status = blas->run(*product, run, e.stream);
      return status.ok() ? status : Status(status.code(), fmt::format("{}: {}", what, status.message()));
    };
    made_.tasks.push_back(std::move(made));
    return {};
  }

  /// What this call's updates multiply their products by.
  Task descent() {
    Task made;
    made.reads = {state_};
    made.writes = {factors_};
    const auto count = static_cast<std::int32_t>(made_.scales.size());
    made.put = [count, what = what(-1)](const Emission& e) {
      return to_status(descend(e.state(), e.memory->scales, count, e.memory->factors, e.stream), what);
    };
    return made;
  }

  Task ending() {
    Task made;
    made.writes = {state_};
    const Operand loss{program_.loss_value}, finite{program_.loss_finite};
    if (loss.present()) made.reads = {{loss}, {finite}};
    made.put = [loss, finite, what = what(-1)](const Emission& e) {
      return to_status(
          record(at(e, loss), reinterpret_cast<const std::uint32_t*>(at(e, finite)), e.call.of, e.state(), e.stream),
          what);
    };
    return made;
  }

  const Program& program_;
  const DeviceMemory& memory_;
  Blas* blas_;
  TaskList made_;
  Place state_, factors_, partials_;
};

}  // namespace

Result<TaskList> lower(const Program& program, const DeviceMemory& memory, Blas* blas) {
  return Lowering(program, memory, blas).run();
}

}  // namespace weft::cuda
