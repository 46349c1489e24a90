// Task: one kernel or library call of a program that runs in steps, with what it touches.
#pragma once

#include <cuda_runtime_api.h>

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

namespace weft::cuda {

/// An operand, or a place in the scratch memory of the program.
struct Place {
  Operand operand;
  std::int64_t scratch = -1;
  bool present() const { return operand.present() || scratch >= 0; }
};

/// Streams that a call is spread over. More gain nothing (H200, four layers of 1024: tf32 144 µs a step with two, 151
/// with four, 171 with one).
inline constexpr std::size_t kMostLanes = 2;

/// The memory that a program's tasks work in, besides the session's buffers.
struct StepMemory {
  const DeviceMemory* buffers = nullptr;
  std::byte* scratch = nullptr;
  CallState* state = nullptr;
  std::uint32_t* ticket = nullptr;
  const float* one = nullptr;
  const float* zero = nullptr;
  const float* scales = nullptr;  // of the updates, and below what they multiply by in this call
  float* factors = nullptr;
  std::array<std::byte*, kMostLanes> workspace{};  // of products

  std::byte* at(const Place& place, std::uint64_t clock) const {
    return place.scratch >= 0 ? scratch + place.scratch : buffers->place(place.operand, clock);
  }
};

/// Where and for which call a task is put on a stream.
struct Emission {
  const StepMemory* memory;
  std::uint64_t clock;
  cudaStream_t stream;
  std::size_t lane;
};

struct Task {
  std::int32_t instruction = -1;  // of the program; -1: of the call itself
  std::array<Predicate, 3> when{};
  bool is_product = false;  // which cannot look at `when` itself
  std::vector<Place> reads, writes;
  std::function<Status(const Emission&)> put;
};

/// A program as tasks, in an order that gives its results.
struct TaskList {
  std::vector<Task> tasks;
  std::vector<float> scales;  // of updates by products
  std::int64_t scratch = 0;   // bytes
  std::size_t workspace = 0;  // the largest of a product
  std::int64_t slots = 1;     // calls after which every ring stands as before
  double largest = 0.0;       // operations of the largest product
};

}  // namespace weft::cuda
