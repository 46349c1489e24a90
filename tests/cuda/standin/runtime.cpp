// The functions of the CUDA runtime that the backend calls.
#include "tests/cuda/standin/runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

#undef cudaGetDeviceProperties
#undef cudaGraphAddNode
#undef cudaStreamBeginCaptureToGraph
#undef cudaStreamGetCaptureInfo

namespace weft::standin {
namespace {

struct Graph;

struct Node {
  std::function<void()> work;
  std::vector<Node*> after;
  std::unique_ptr<Graph> inside;  // of a condition
  const bool* condition = nullptr;
};

struct Stream {
  Graph* capturing = nullptr;
  std::vector<Node*> last;
};

struct Event {
  Graph* of = nullptr;
  std::vector<Node*> last;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<bool>> conditions;
  std::set<Stream*> streams;  // that are being captured into it
};

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "stand-in: %s\n", what);
  std::abort();
}

void add(std::vector<Node*>& to, const std::vector<Node*>& nodes) {
  for (Node* node : nodes)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

Node* put(Graph& graph, std::function<void()> work, std::vector<Node*> after) {
  graph.nodes.push_back(std::make_unique<Node>());
  Node* const node = graph.nodes.back().get();
  node->work = std::move(work);
  node->after = std::move(after);
  return node;
}

/// Every order that the edges allow may come; WEFT_STANDIN_SEED chooses.
void run(const Graph& graph, std::mt19937& random) {
  std::set<const Node*> done;
  std::vector<const Node*> left;
  for (const auto& node : graph.nodes) left.push_back(node.get());
  while (!left.empty()) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto& after = left[i]->after;
      if (std::all_of(after.begin(), after.end(), [&](const Node* node) { return done.contains(node); }))
        ready.push_back(i);
    }
    if (ready.empty()) wrong("a graph that waits for itself");
    const std::size_t next = ready[random() % ready.size()];
    const Node* const node = left[next];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
    if (node->inside == nullptr)
      node->work();
    else if (*node->condition)
      run(*node->inside, random);
    done.insert(node);
  }
}

std::mt19937& random_of_thread() {
  static std::atomic<unsigned> threads{0};
  static const char* const seed = std::getenv("WEFT_STANDIN_SEED");
  static thread_local std::mt19937 random((seed == nullptr ? 0u : static_cast<unsigned>(std::atoi(seed))) +
                                          1000u * threads.fetch_add(1));
  return random;
}

Stream& of(cudaStream_t stream) { return *reinterpret_cast<Stream*>(stream); }
Event& of(cudaEvent_t event) { return *reinterpret_cast<Event*>(event); }
Graph& of(cudaGraph_t graph) { return *reinterpret_cast<Graph*>(graph); }

}  // namespace

void enqueue(cudaStream_t stream, std::function<void()> work) {
  Stream& it = of(stream);
  if (it.capturing == nullptr) return work();
  it.last = {put(*it.capturing, std::move(work), it.last)};
}

void set_condition(cudaGraphConditionalHandle handle, bool holds) { *reinterpret_cast<bool*>(handle) = holds; }

}  // namespace weft::standin

using namespace weft::standin;

extern "C" {
#define WEFT_EXPORT __attribute__((visibility("hidden")))
WEFT_EXPORT cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 232448; break;
    case cudaDevAttrMultiProcessorCount: *value = 132; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    default: *value = 1;
  }
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (bytes > (size_t{1} << 33)) return cudaErrorMemoryAllocation;
  const size_t whole = (bytes + 255) / 256 * 256 + 256;
  *memory = std::aligned_alloc(256, whole);
  std::memset(*memory, 0xff, whole);  // NaN
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaMemGetInfo(size_t* left, size_t* all) {
  *left = *all = size_t{1} << 37;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  if (of(stream).capturing != nullptr) wrong("a copy into a graph");
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
WEFT_EXPORT cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaSetDevice(int) { return cudaSuccess; }
WEFT_EXPORT cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "a stand-in");
  properties->major = 9, properties->multiProcessorCount = 132, properties->totalGlobalMem = size_t{1} << 37;
  return cudaSuccess;
}
WEFT_EXPORT const char* cudaGetErrorName(cudaError_t) { return "an error of the stand-in"; }
WEFT_EXPORT const char* cudaGetErrorString(cudaError_t) { return "an error of the stand-in"; }
WEFT_EXPORT cudaError_t cudaGetLastError() { return cudaSuccess; }

WEFT_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(new Stream);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
WEFT_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete &of(stream);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
WEFT_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete &of(event);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
WEFT_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  of(event).of = of(stream).capturing;
  of(event).last = of(stream).last;
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  Stream& it = of(stream);
  const Event& awaited = of(event);
  if (awaited.of == nullptr) return cudaSuccess;
  if (it.capturing != nullptr && it.capturing != awaited.of) wrong("an event of another graph");
  if (it.capturing == nullptr) it.capturing = awaited.of, it.last.clear(), awaited.of->streams.insert(&it);
  add(it.last, awaited.last);
  return cudaSuccess;
}

WEFT_EXPORT cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = reinterpret_cast<cudaGraph_t>(new Graph);
  return cudaSuccess;
}
/// What is made of a graph keeps it.
WEFT_EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
WEFT_EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = reinterpret_cast<cudaGraphExec_t>(graph);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  run(*reinterpret_cast<Graph*>(graph), random_of_thread());
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                                         unsigned, unsigned) {
  of(graph).conditions.push_back(std::make_unique<bool>(false));
  *handle = reinterpret_cast<cudaGraphConditionalHandle>(of(graph).conditions.back().get());
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                         const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* wanted) {
  const auto* const nodes = reinterpret_cast<Node* const*>(after);
  Node* const made = put(of(graph), {}, {nodes, nodes + count});
  made->inside = std::make_unique<Graph>();
  made->condition = reinterpret_cast<const bool*>(wanted->conditional.handle);
  static thread_local cudaGraph_t inside;
  inside = reinterpret_cast<cudaGraph_t>(made->inside.get());
  wanted->conditional.phGraph_out = &inside;
  *node = reinterpret_cast<cudaGraphNode_t>(made);
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                      const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                                      size_t count, cudaStreamCaptureMode) {
  Stream& it = of(stream);
  if (it.capturing != nullptr) wrong("a stream captured twice");
  const auto* const nodes = reinterpret_cast<Node* const*>(after);
  it.capturing = &of(graph);
  it.last.assign(nodes, nodes + count);
  of(graph).streams = {&it};
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                 unsigned long long*, cudaGraph_t*, const cudaGraphNode_t** nodes,
                                                 const cudaGraphEdgeData**, size_t* count) {
  *status = cudaStreamCaptureStatusActive;
  *nodes = reinterpret_cast<const cudaGraphNode_t*>(of(stream).last.data());
  *count = of(stream).last.size();
  return cudaSuccess;
}
WEFT_EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Stream& it = of(stream);
  Graph& captured = *it.capturing;
  std::set<const Node*> joined;
  std::vector<const Node*> at(it.last.begin(), it.last.end());
  while (!at.empty()) {
    const Node* const node = at.back();
    at.pop_back();
    if (joined.insert(node).second) at.insert(at.end(), node->after.begin(), node->after.end());
  }
  for (const auto& node : captured.nodes)
    if (!joined.contains(node.get())) wrong("a stream that does not join again");
  for (Stream* each : captured.streams) each->capturing = nullptr, each->last.clear();
  *graph = reinterpret_cast<cudaGraph_t>(&captured);
  return cudaSuccess;
}

// What the ways chip and grid need, which do not run here.
WEFT_EXPORT cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaErrorNotSupported;
}
WEFT_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaErrorNotSupported;
}
WEFT_EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t*, cudaLibrary_t, const char*) {
  return cudaErrorNotSupported;
}
WEFT_EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned,
                                            cudaLibraryOption*, void**, unsigned) {
  return cudaErrorNotSupported;
}
WEFT_EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t) { return cudaErrorNotSupported; }
WEFT_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 1;
  return cudaSuccess;
}
}
