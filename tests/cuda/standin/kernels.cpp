// What the kernels do, one element after the other on the host.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "src/backend/cuda/chip_kernel.h"
#include "src/backend/cuda/fused.h"
#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/loss_sum_kernel.h"
#include "src/backend/cuda/sums.h"
#include "src/kernels/run_step.h"
#include "tests/cuda/standin/product.h"
#include "tests/cuda/standin/runtime.h"

namespace weft::cuda {
namespace {

using kernels::Index;
using kernels::Op;
using kernels::Operands;
using kernels::Step;
using standin::enqueue;

bool is_due(const Guard& guard) {
  return kernels::holds(guard.when[0], guard.at[0]) && kernels::holds(guard.when[1], guard.at[1]) &&
         kernels::holds(guard.when[2], guard.at[2]);
}

void run(const Step& step, const Operands& operands, float rate) {
  std::vector<float> scratch(kernels::kScratchFloats);
  kernels::run_step(step.op, kernels::Team{0, 1, 0, 1, scratch.data()}, step, rate, operands);
}

float rate_of(const CallState* state) { return state->rates[state->call]; }

float finite(float x) { return x - x == 0.0f ? x : 0.0f; }

void put(const Forms& to, Extent extent, Index row, Index column, float x, bool due) {
  if (due && to.plain != nullptr) to.plain[row * extent.columns + column] = x;
  if (to.half != nullptr) to.half[row * to.half_row + column] = standin::to_half(x);
  if (to.finite != nullptr) to.finite[row * to.half_row + column] = standin::to_half(finite(x));
  if (to.turned != nullptr) to.turned[column * to.turned_row + row] = to.turned_finite ? finite(x) : x;
}

/// make(i): element i.
template <typename Make>
cudaError_t write(Guard guard, Extent extent, Forms to, cudaStream_t stream, Make make) {
  enqueue(stream, [=] {
    const bool due = is_due(guard);
    if (!due && !to.zeroes) return;
    for (Index row = 0; row < extent.rows; ++row)
      for (Index column = 0; column < extent.columns; ++column)
        put(to, extent, row, column, due ? make(row * extent.columns + column) : 0.0f, due);
  });
  return cudaSuccess;
}

float gathered(const CallState* state, bool targets, Index i) {
  const Index elements = targets ? state->target_elements : state->input_elements;
  const Index first = static_cast<Index>(state->call) * state->batch;
  const float* const rows = targets ? state->targets : state->inputs;
  if (state->order == nullptr) return rows[first * elements + i];
  return rows[state->order[first + i / elements] * elements + i % elements];
}

float projected(const Projection& p, const float* x, Index i) {
  if (p.given == p.wanted) return p.a * x[i];
  const Index lo = i * p.given / p.wanted, hi = std::max(lo + 1, (i + 1) * p.given / p.wanted);
  float total = 0.0f;
  for (Index j = lo; j < hi; ++j) total += x[j];
  return p.a * (total / static_cast<float>(hi - lo));
}

}  // namespace

// ---- launch.h ----

cudaError_t launch(const Step& step, const Operands& operands, const CallState* state, cudaStream_t stream) {
  enqueue(stream, [=] {
    if (kernels::is_due(step, operands)) run(step, operands, rate_of(state));
  });
  return cudaSuccess;
}

cudaError_t begin(const CallState& state, int count, CallState* to, cudaStream_t stream) {
  enqueue(stream, [=] {
    for (int i = 0; i < count; ++i) to[i] = state, to[i].call += i;
  });
  return cudaSuccess;
}

cudaError_t descend(const CallState* state, const float* scales, std::int32_t count, float* to, cudaStream_t stream) {
  enqueue(stream, [=] {
    for (int i = 0; i < count; ++i) to[i] = -(rate_of(state) * scales[i]);
  });
  return cudaSuccess;
}

cudaError_t record(const float* loss, const std::uint32_t* finite, std::int32_t calls, CallState* state,
                   cudaStream_t stream) {
  enqueue(stream, [=] {
    state->outcomes[state->call] =
        loss == nullptr ? kernels::CallOutcome{0.0f, 1} : kernels::CallOutcome{*loss, *finite};
    state->call += calls;
  });
  return cudaSuccess;
}

cudaError_t decide(const Guard& guard, cudaGraphConditionalHandle handle, cudaStream_t stream) {
  enqueue(stream, [=] { standin::set_condition(handle, is_due(guard)); });
  return cudaSuccess;
}

cudaError_t probe() { return cudaSuccess; }

cudaError_t launch_interpreter(const std::byte*, const std::byte*, std::size_t, cudaStream_t) {
  return cudaErrorNotSupported;
}

// ---- forms.h ----

cudaError_t write_copy(Guard guard, Extent extent, const float* x, Forms to, cudaStream_t stream) {
  return write(guard, extent, to, stream, [=](Index i) { return x[i]; });
}

cudaError_t write_activated(Guard guard, Extent extent, kernels::Act activation, const float* z, Forms to,
                            cudaStream_t stream) {
  return write(guard, extent, to, stream, [=](Index i) { return kernels::activate(activation, z[i]); });
}

cudaError_t write_projected(Guard guard, Extent extent, Projection p, const float* x, Forms to, cudaStream_t stream) {
  return write(guard, extent, to, stream, [=](Index i) { return projected(p, x, i); });
}

cudaError_t write_delta(Guard guard, Extent extent, Projection p, const float* x, float scale, kernels::Act activation,
                        const float* z, Forms to, cudaStream_t stream) {
  return write(guard, extent, to, stream,
               [=](Index i) { return scale * projected(p, x, i) * kernels::slope(activation, z[i]); });
}

cudaError_t write_gathered(const CallState* state, bool targets, Extent extent, Forms to, cudaStream_t stream) {
  return write(Guard{}, extent, to, stream, [=](Index i) { return gathered(state, targets, i); });
}

cudaError_t write_mse_gap(Guard guard, Extent extent, const float* p, const float* t, const CallState* state, Forms to,
                          float* loss, std::uint32_t* finite, Partials, cudaStream_t stream) {
  const auto elements = static_cast<double>(extent.rows * extent.columns);
  const auto error = [=](Index i) { return p[i] - (t != nullptr ? t[i] : gathered(state, true, i)); };
  write(guard, extent, to, stream, [=](Index i) { return static_cast<float>(2.0 / elements) * error(i); });
  if (loss == nullptr) return cudaSuccess;
  enqueue(stream, [=] {
    if (!is_due(guard)) return;
    double sum = 0.0;
    for (Index i = 0; i < extent.rows * extent.columns; ++i) sum += static_cast<double>(error(i)) * error(i);
    *loss = static_cast<float>(sum / elements);
    *finite = *loss - *loss == 0.0f ? 1 : 0;
  });
  return cudaSuccess;
}

// ---- sums.h ----

cudaError_t reduce(Guard guard, Whole whole, std::int64_t elements, const float* x, float limit, float* to, Partials,
                   cudaStream_t stream) {
  Step step{};
  step.op = whole == Whole::kRms ? Op::kRms : whole == Whole::kClip ? Op::kClip : Op::kIsFinite;
  step.m = 1, step.n = elements, step.scale = limit;
  enqueue(stream, [=] {
    if (is_due(guard)) run(step, {{x}, {to}, {}}, 0.0f);
  });
  return cudaSuccess;
}

cudaError_t cross_entropy(Guard guard, Extent extent, const float* p, const float* t, float* gap, float* loss,
                          std::uint32_t* finite, Partials, cudaStream_t stream) {
  Step step{};
  step.op = Op::kLossGap, step.loss = kernels::LossKind::kCrossEntropy;
  step.m = extent.rows, step.n = extent.columns, step.has_optional = gap != nullptr;
  enqueue(stream, [=] {
    if (is_due(guard)) run(step, {{p, t}, {gap, loss, reinterpret_cast<float*>(finite)}, {}}, 0.0f);
  });
  return cudaSuccess;
}

cudaError_t sum_columns(Guard guard, Extent extent, const float* d, ColumnSums what, float*, cudaStream_t stream) {
  Step step{};
  step.op = what.state != nullptr ? Op::kBiasUpdate : Op::kBiasGrad;
  step.m = extent.rows, step.n = extent.columns, step.scale = what.scale, step.accumulate = what.accumulate;
  enqueue(stream, [=] {
    if (is_due(guard)) run(step, {{d}, {what.to}, {}}, what.state != nullptr ? rate_of(what.state) : 0.0f);
  });
  return cudaSuccess;
}

// ---- fused.h ----

/// More than the real one takes: every case may come here.
bool can_multiply(const ProductShape& shape) { return !(shape.left.turned && shape.right.turned); }

double multiply_time(const ProductShape&) { return 0.0; }

cudaError_t multiply(const Guard& guard, const ProductShape& shape, const void* left, const void* right,
                     const Finish& finish, cudaStream_t stream) {
  enqueue(stream, [=] {
    const Extent extent{shape.rows, shape.columns};
    const bool due = is_due(guard);
    if (!due && !finish.to.zeroes) return;
    for (Index row = 0; row < shape.rows; ++row) {
      for (Index column = 0; column < shape.columns; ++column) {
        const Index i = row * shape.columns + column;
        if (!due) {
          put(finish.to, extent, row, column, 0.0f, false);
          continue;
        }
        float s = standin::sum(shape, left, right, row, column);
        if (finish.bias != nullptr) s += finish.bias[column];
        switch (finish.kind) {
          case Finish::Kind::kPlain: finish.y[i] = finish.accumulates ? finish.y[i] + s : s; break;
          case Finish::Kind::kActivate:
            if (finish.z != nullptr) finish.z[i] = s;
            put(finish.to, extent, row, column, kernels::activate(finish.activation, s), true);
            break;
          case Finish::Kind::kDelta:
            s *= finish.a;
            if (finish.y != nullptr) finish.y[i] = s;
            put(finish.to, extent, row, column, finish.scale * s * kernels::slope(finish.activation, finish.z[i]),
                true);
            break;
          case Finish::Kind::kDescend:
            finish.y[i] = std::fma(-(rate_of(finish.state) * finish.scale), s, finish.y[i]);
            put(finish.to, extent, row, column, finish.y[i], true);
            break;
        }
      }
    }
  });
  return cudaSuccess;
}

cudaError_t sum_losses(SummedRun* runs, std::size_t count, std::int64_t first, std::int64_t most, cudaStream_t stream) {
  enqueue(stream, [=] {
    for (SummedRun* run = runs; run != runs + count; ++run)
      for (std::int64_t call = first; call < std::min(run->count, first + most); ++call)
        run->losses.add(run->outcomes[call].loss, run->outcomes[call].finite != 0);
  });
  return cudaSuccess;
}

}  // namespace weft::cuda
