// Capturing tasks into CUDA graphs.
#include "src/backend/cuda/graph.h"

#include <algorithm>
#include <memory>

#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/status.h"
#include "src/core/try.h"
#include "src/kernels/encode.h"

namespace weft::cuda {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using GraphPointer = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

/// Turns one after the other with one set of conditions where there is a product among them, which has to be left out
/// as a whole; else any turns.
struct Part {
  std::span<const Turn> turns;
  bool guarded = false;
};

std::vector<Part> parts_of(std::span<const Turn> turns) {
  std::vector<Part> parts;
  for (std::size_t at = 0; at < turns.size();) {
    std::size_t end = at + 1;
    const Conditions& when = turns[at].task->when;
    while (end < turns.size() && turns[end].task->when == when && turns[end].call.clock == turns[at].call.clock) ++end;
    const auto run = turns.subspan(at, end - at);
    const bool guarded =
        !always(when) && std::any_of(run.begin(), run.end(), [](const Turn& turn) { return turn.task->is_product; });
    if (!guarded && !parts.empty() && !parts.back().guarded) {
      parts.back().turns = {parts.back().turns.data(), parts.back().turns.size() + run.size()};
    } else {
      parts.push_back({run, guarded});
    }
    at = end;
  }
  return parts;
}

class Building {
 public:
  Building(const StepMemory& memory, std::size_t lanes, const Capture& capture)
      : memory_(memory), lanes_(lanes), capture_(capture) {}

  Status build(cudaGraph_t graph, std::span<const Turn> turns) {
    const std::vector<Part> parts = parts_of(turns);
    std::vector<cudaGraphNode_t> before;  // what the next part comes after
    for (std::size_t at = 0; at < parts.size(); ++at) {
      // The condition of a guarded part is decided at the end of the part before it.
      cudaGraphConditionalHandle handle{};
      if (parts[at].guarded) {
        WEFT_RETURN_IF_ERROR(to_status(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault),
                                       "making a condition"));
        WEFT_RETURN_IF_ERROR(capture({}, graph, before, &parts[at].turns.front(), handle));
        WEFT_RETURN_IF_ERROR(add_condition(parts[at], graph, handle, before));
        continue;
      }
      WEFT_RETURN_IF_ERROR(capture(parts[at].turns, graph, before, nullptr, handle));
    }
    return {};
  }

 private:
  Status add_condition(const Part& part, cudaGraph_t graph, cudaGraphConditionalHandle handle,
                       std::vector<cudaGraphNode_t>& before) {
    cudaGraphNodeParams wanted{};
    wanted.type = cudaGraphNodeTypeConditional;
    wanted.conditional.handle = handle;
    wanted.conditional.type = cudaGraphCondTypeIf;
    wanted.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    WEFT_RETURN_IF_ERROR(to_status(cudaGraphAddNode(&node, graph, before.data(), nullptr, before.size(), &wanted),
                                   "adding a condition"));
    std::vector<cudaGraphNode_t> inside;
    WEFT_RETURN_IF_ERROR(capture(part.turns, wanted.conditional.phGraph_out[0], inside, nullptr, {}));
    before.assign(1, node);
    return {};
  }

  /// Captures turns into the graph behind the nodes `before`, which become those that the next are to come after.
  /// deciding: instead, the kernel that decides on that turn's conditions.
  Status capture(std::span<const Turn> turns, cudaGraph_t graph, std::vector<cudaGraphNode_t>& before,
                 const Turn* deciding, cudaGraphConditionalHandle handle) {
    const cudaStream_t main = capture_.stream(0);
    WEFT_RETURN_IF_ERROR(to_status(cudaStreamBeginCaptureToGraph(main, graph, before.data(), nullptr, before.size(),
                                                                 cudaStreamCaptureModeThreadLocal),
                                   "beginning a graph"));
    Status status = deciding == nullptr ? put(turns) : decide_on(*deciding, handle);
    if (status.ok()) status = ends(before);
    cudaGraph_t same = nullptr;
    const Status ended = to_status(cudaStreamEndCapture(main, &same), "ending a graph");
    return status.ok() ? ended : status;
  }

  Status decide_on(const Turn& turn, cudaGraphConditionalHandle handle) {
    Guard guard{};
    for (std::size_t i = 0; i < turn.task->when.size(); ++i) {
      const Predicate& p = turn.task->when[i];
      guard.when[i] = kernels::encode(p);
      guard.at[i] = reinterpret_cast<const std::uint32_t*>(memory_.at({{p.counter}}, turn.call.clock));
    }
    return to_status(decide(guard, handle, capture_.stream(0)), "deciding on a part of a graph");
  }

  Status put(std::span<const Turn> turns) {
    const std::vector<Seat> seats = seat(turns, memory_, lanes_);
    const cudaEvent_t start = capture_.event(turns.size()), end = capture_.event(turns.size() + 1);
    std::array<bool, kMostLanes> used{true};
    const bool several = std::any_of(seats.begin(), seats.end(), [](const Seat& s) { return s.lane > 0; });
    if (several) WEFT_RETURN_IF_ERROR(to_status(cudaEventRecord(start, capture_.stream(0)), "forking a graph"));
    for (std::size_t at = 0; at < turns.size(); ++at) {
      const Seat& mine = seats[at];
      const cudaStream_t stream = capture_.stream(mine.lane);
      if (!used[mine.lane]) {
        WEFT_RETURN_IF_ERROR(to_status(cudaStreamWaitEvent(stream, start), "forking a graph"));
        used[mine.lane] = true;
      }
      for (const std::size_t other : mine.waits)
        WEFT_RETURN_IF_ERROR(to_status(cudaStreamWaitEvent(stream, capture_.event(other)), "joining lanes"));
      WEFT_RETURN_IF_ERROR(turns[at].task->put({&memory_, turns[at].call, stream, mine.lane}));
      if (mine.waited_for)
        WEFT_RETURN_IF_ERROR(to_status(cudaEventRecord(capture_.event(at), stream), "joining lanes"));
    }
    for (std::size_t lane = 1; lane < lanes_; ++lane) {
      if (!used[lane]) continue;
      WEFT_RETURN_IF_ERROR(to_status(cudaEventRecord(end, capture_.stream(lane)), "joining lanes"));
      WEFT_RETURN_IF_ERROR(to_status(cudaStreamWaitEvent(capture_.stream(0), end), "joining lanes"));
    }
    return {};
  }

  Status ends(std::vector<cudaGraphNode_t>& to) const {
    cudaStreamCaptureStatus capturing{};
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
    WEFT_RETURN_IF_ERROR(
        to_status(cudaStreamGetCaptureInfo(capture_.stream(0), &capturing, nullptr, nullptr, &nodes, nullptr, &count),
                  "following a graph"));
    to.assign(nodes, nodes + count);
    return {};
  }

  const StepMemory& memory_;
  std::size_t lanes_;
  const Capture& capture_;
};

}  // namespace

Status Capture::open(std::size_t events) {
  // The first lane has what others wait for, so it goes before them.
  int least = 0, greatest = 0;
  WEFT_RETURN_IF_ERROR(to_status(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities"));
  for (cudaStream_t& stream : streams_) {
    const int priority = &stream == &streams_.front() ? greatest : least;
    WEFT_RETURN_IF_ERROR(
        to_status(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "making a stream"));
  }
  events_.resize(events, nullptr);
  for (cudaEvent_t& event : events_)
    WEFT_RETURN_IF_ERROR(to_status(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event"));
  return {};
}

Capture::~Capture() {
  for (cudaStream_t stream : streams_)
    if (stream != nullptr) cudaStreamDestroy(stream);
  for (cudaEvent_t event : events_)
    if (event != nullptr) cudaEventDestroy(event);
}

Graph::~Graph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

Result<Graph> Graph::make(std::span<const Turn> turns, const StepMemory& memory, std::size_t lanes) {
  Capture capture;
  WEFT_RETURN_IF_ERROR(capture.open(turns.size() + 2));
  cudaGraph_t empty = nullptr;
  WEFT_RETURN_IF_ERROR(to_status(cudaGraphCreate(&empty, 0), "making a graph"));
  const GraphPointer graph(empty);
  WEFT_RETURN_IF_ERROR(Building(memory, lanes, capture).build(graph.get(), turns));
  Graph made;
  WEFT_RETURN_IF_ERROR(to_status(cudaGraphInstantiate(&made.executable_, graph.get(), 0), "making a graph ready"));
  return made;
}

}  // namespace weft::cuda
