// Task: one kernel or library call of a program that runs in steps, with what it touches.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "src/backend/cuda/blas.h"
#include "src/backend/cuda/call_state.h"
#include "src/backend/cuda/forms.h"
#include "src/backend/cuda/memory.h"
#include "src/program/buffer.h"

namespace weft::cuda {

/// Under which something is done: all of them hold.
using Conditions = std::array<Predicate, 3>;

inline bool always(const Conditions& when) {
  return std::none_of(when.begin(), when.end(), [](const Predicate& p) { return p.present(); });
}

/// An operand, or a place in the scratch memory of the program.
struct Place {
  Operand operand;
  std::int64_t scratch = -1;
  // Calls that follow each other in a graph have copies of some places, so that the next need not wait for this one.
  std::int64_t copies = 1, apart = 0;  // bytes
  bool present() const { return operand.present() || scratch >= 0; }
};

/// Takes so many bytes, aligned, from the end of what is taken.
inline Place take_scratch(std::int64_t& taken, std::int64_t bytes, std::int64_t copies = 1) {
  constexpr std::int64_t kAlignment = 256;
  const std::int64_t apart = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const Place place{{}, taken, copies, apart};
  taken += copies * apart;
  return place;
}

/// Calls of a graph at most, and the copies of what a call gathers, and of the forms that it makes where products leave
/// room for those of the next call (H200, four layers of 1024 in bfloat16: 73.0 µs a step, 75.0 with one copy).
inline constexpr std::int64_t kMostCalls = 16, kArgumentCopies = 2, kFormCopies = 2;

/// Streams that a call is spread over. More gain nothing (H200, four layers of 1024: tf32 144 µs a step with two, 151
/// with four, 171 with one).
inline constexpr std::size_t kMostLanes = 2;

/// The memory that a program's tasks work in, besides the session's buffers.
struct StepMemory {
  const DeviceMemory* buffers = nullptr;
  std::byte* scratch = nullptr;
  CallState* states = nullptr;  // of each call of a graph
  std::uint32_t* ticket = nullptr;
  const float* one = nullptr;
  const float* zero = nullptr;
  const float* scales = nullptr;  // of the updates, and below what they multiply by in this call
  float* factors = nullptr;
  std::array<std::byte*, kMostLanes> workspace{};  // of products

  std::array<Place, 2> arguments;  // input and target, gathered

  std::byte* at(const Place& place, std::uint64_t clock) const {
    if (place.scratch >= 0)
      return scratch + place.scratch + static_cast<std::int64_t>(clock) % place.copies * place.apart;
    const BufferId buffer = place.operand.buffer;
    if (buffer == BufferTable::kInput || buffer == BufferTable::kTarget)
      return at(arguments[static_cast<std::size_t>(buffer)], clock);
    return buffers->place(place.operand, clock);
  }
};

/// Which call of a graph, or of a run without one.
struct Call {
  std::uint64_t clock = 0;
  std::int32_t place = 0, of = 1;  // in the graph
};

/// Where and for which call a task is put on a stream.
struct Emission {
  const StepMemory* memory;
  Call call;
  cudaStream_t stream;
  std::size_t lane;

  CallState* state() const { return memory->states + call.place; }
};

struct Task {
  std::int32_t instruction = -1;  // of the program; -1: of the call itself
  Conditions when{};
  bool is_product = false;  // of cuBLASLt, which cannot look at `when` itself
  bool is_fused = false;    // a product that can
  bool is_gather = false;   // of what kArgumentCopies have room for
  std::vector<Place> reads, writes;
  std::function<Status(const Emission&)> put;
};

/// A program as tasks, in an order that gives its results.
struct TaskList {
  std::vector<Task> first;  // before the first of a run of calls
  std::vector<Task> tasks;
  std::vector<float> scales;  // of updates by cuBLASLt
  std::int64_t scratch = 0;   // bytes
  std::array<Place, 2> arguments;
  std::size_t workspace = 0;  // the largest of a product
  std::int64_t slots = 1;     // calls after which every ring stands as before
  double largest = 0.0;       // operations of the largest product
};

}  // namespace weft::cuda
