// Steps: a kernel or a library call for every instruction, call after call; captured once, then launched as graphs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "src/backend/cuda/drafts.h"
#include "src/backend/cuda/graph.h"
#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/lowering.h"
#include "src/backend/cuda/status.h"
#include "src/backend/cuda/way.h"
#include "src/core/try.h"

namespace weft::cuda {
namespace {

constexpr std::size_t kMostTurns = 256;  // of a graph of several calls
constexpr std::int32_t kCallsWorthwhile = 4;

/// The environment variable WEFT_CUDA_CHECK: waits after each task, so that a fault is said of the right one.
bool checks() {
  const char* set = std::getenv("WEFT_CUDA_CHECK");
  return set != nullptr && std::string_view(set) == "1";
}

class Steps final : public Way {
 public:
  Steps(const Program& program, DeviceMemory& memory) : program_(program), memory_(memory) {}

  Status run(const DeviceCalls& calls) override {
    if (!ready_) WEFT_RETURN_IF_ERROR(prepare());
    WEFT_RETURN_IF_ERROR(begin(calls));
    if (check_) return run_one_by_one(calls);
    // Building a graph takes longer than running a program once; but products under conditions need one.
    const bool once = calls.count == 1 && runs_++ == 0 && !guarded_;
    if (once) return run_one_by_one(calls);
    const std::int32_t several = calls_of_a_graph();
    for (std::int32_t call = 0; call < calls.count;) {
      const bool enough = several > 1 && calls.count >= kCallsWorthwhile * several && calls.count - call >= several;
      const std::int32_t next = enough ? several : 1;
      WEFT_ASSIGN_OR_RETURN(const Graph* const graph, graph_of(calls.clock + static_cast<std::uint64_t>(call), next));
      WEFT_RETURN_IF_ERROR(to_status(graph->launch(memory_.stream()), fmt::format("'{}'", program_.title)));
      call += next;
    }
    return {};
  }

  std::string describe() const override {
    const auto count = [&](bool Task::*is) {
      return std::count_if(list_.tasks.begin(), list_.tasks.end(), [&](const Task& task) { return task.*is; });
    };
    const auto products = count(&Task::is_product), fused = count(&Task::is_fused);
    return fmt::format("steps: a graph of {} kernels, {} products of tensor cores and {} of cuBLASLt a call",
                       std::ssize(list_.tasks) - products - fused, fused, products);
  }

 private:
  Status prepare() {
    WEFT_ASSIGN_OR_RETURN(Blas* const blas, memory_.blas());
    WEFT_ASSIGN_OR_RETURN(list_, lower(program_, memory_, blas));
    guarded_ = std::any_of(list_.tasks.begin(), list_.tasks.end(),
                           [](const Task& task) { return task.is_product && !always(task.when); });
    lanes_ = list_.largest >= kLargeProduct ? 1 : kMostLanes;
    const std::size_t workspace = (list_.workspace + 255) / 256 * 256;
    const auto own = static_cast<std::size_t>(list_.scratch);
    WEFT_ASSIGN_OR_RETURN(scratch_, memory_.scratch(own + kMostLanes * workspace));
    WEFT_RETURN_IF_ERROR(fill_constants());
    at_.buffers = &memory_;
    at_.scratch = scratch_->data();
    at_.arguments = list_.arguments;
    for (std::size_t lane = 0; lane < kMostLanes; ++lane)
      at_.workspace[lane] = scratch_->data() + own + lane * workspace;
    check_ = checks();
    ready_ = true;
    return {};
  }

  /// States, ticket, 1, 0, the scales of updates and room for their factors, 4 bytes each behind the states.
  Status fill_constants() {
    constexpr std::size_t kStates = (kMostCalls * sizeof(CallState) + 255) / 256 * 256 / sizeof(float);
    const std::size_t scales = list_.scales.size();
    std::vector<float> values(kStates + 3 + 2 * scales, 0.0f);
    values[kStates + 1] = 1.0f;
    std::copy(list_.scales.begin(), list_.scales.end(), values.begin() + kStates + 3);
    WEFT_RETURN_IF_ERROR(constants_.reserve(values.size(), "a program's constants"));
    WEFT_RETURN_IF_ERROR(to_status(cudaMemcpyAsync(constants_.data(), values.data(), values.size() * sizeof(float),
                                                   cudaMemcpyHostToDevice, memory_.stream()),
                                   "copying a program's constants"));
    WEFT_RETURN_IF_ERROR(memory_.wait("copying a program's constants"));
    float* const at = constants_.data();
    at_.states = reinterpret_cast<CallState*>(at);
    at_.ticket = reinterpret_cast<std::uint32_t*>(at + kStates);
    at_.one = at + kStates + 1, at_.zero = at + kStates + 2;
    at_.scales = at + kStates + 3, at_.factors = at + kStates + 3 + scales;
    return {};
  }

  Status begin(const DeviceCalls& calls) {
    const CallState state{.inputs = calls.inputs,
                          .targets = calls.targets,
                          .order = calls.order,
                          .rates = calls.rates,
                          .outcomes = calls.outcomes,
                          .input_elements = calls.input_elements,
                          .target_elements = calls.target_elements,
                          .batch = calls.batch,
                          .call = 0};
    WEFT_RETURN_IF_ERROR(
        to_status(cuda::begin(state, kMostCalls, at_.states, memory_.stream()), "telling a run of calls"));
    for (const Task& task : list_.first) WEFT_RETURN_IF_ERROR(task.put({&at_, {calls.clock}, memory_.stream(), 0}));
    return {};
  }

  std::int32_t calls_of_a_graph() const {
    const auto fit = static_cast<std::int64_t>(kMostTurns / std::max<std::size_t>(list_.tasks.size(), 1));
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(fit / list_.slots * list_.slots, 1, kMostCalls));
  }

  Result<const Graph*> graph_of(std::uint64_t clock, std::int32_t calls) {
    const std::uint64_t first = clock % static_cast<std::uint64_t>(list_.slots);
    Graph& graph = graphs_[{first, calls}];
    if (!graph.made()) {
      std::vector<Turn> turns;
      const auto add = [&](std::int32_t call, bool gathers) {
        for (const Task& task : list_.tasks)
          // Above the slots, so that a lag never reaches below 0.
          if (task.is_gather == gathers && call < calls)
            turns.push_back({&task, {first + static_cast<std::uint64_t>(list_.slots + call), call, calls}});
      };
      // Each call's samples are gathered before the rest of the call ahead of it.
      add(0, true);
      for (std::int32_t call = 0; call < calls; ++call) add(call + 1, true), add(call, false);
      WEFT_ASSIGN_OR_RETURN(graph, Graph::make(turns, at_, lanes_));
    }
    return &graph;
  }

  /// Without a graph, as the tasks come; the host looks at the conditions of products.
  Status run_one_by_one(const DeviceCalls& calls) {
    for (std::int32_t call = 0; call < calls.count; ++call) {
      const std::uint64_t clock = calls.clock + static_cast<std::uint64_t>(call);
      for (const Task& task : list_.tasks) {
        if (task.is_product) {
          WEFT_ASSIGN_OR_RETURN(const bool due, is_due(task, clock));
          if (!due) continue;
        }
        WEFT_RETURN_IF_ERROR(task.put({&at_, {clock}, memory_.stream(), 0}));
        if (check_) WEFT_RETURN_IF_ERROR(memory_.wait(name(task)));
      }
    }
    return {};
  }

  Result<bool> is_due(const Task& task, std::uint64_t clock) {
    for (const Predicate& p : task.when) {
      if (!p.present()) continue;
      std::uint32_t count = 0;
      WEFT_RETURN_IF_ERROR(to_status(
          cudaMemcpyAsync(&count, at_.at({{p.counter}}, clock), sizeof count, cudaMemcpyDeviceToHost, memory_.stream()),
          "looking at a condition"));
      WEFT_RETURN_IF_ERROR(memory_.wait("looking at a condition"));
      if (!p.holds(count)) return false;
    }
    return true;
  }

  std::string name(const Task& task) const {
    if (task.instruction < 0) return fmt::format("'{}'", program_.title);
    const auto op = program_.code[static_cast<std::size_t>(task.instruction)].op;
    return fmt::format("instruction {} ({}) of '{}'", task.instruction, to_string(op), program_.title);
  }

  const Program& program_;
  DeviceMemory& memory_;
  bool ready_ = false, guarded_ = false, check_ = false;
  std::int64_t runs_ = 0;
  std::size_t lanes_ = 1;
  TaskList list_;
  std::shared_ptr<const DeviceArray<std::byte>> scratch_;
  DeviceArray<float> constants_;
  StepMemory at_;
  std::map<std::pair<std::uint64_t, std::int32_t>, Graph> graphs_;  // by the first ring slot and the calls
};

}  // namespace

std::unique_ptr<Way> make_steps(const Program& program, DeviceMemory& memory) {
  return std::make_unique<Steps>(program, memory);
}

}  // namespace weft::cuda
