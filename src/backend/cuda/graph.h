// Graph: some calls of a program as one CUDA graph, launched without the host looking on.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <span>
#include <utility>

#include "src/backend/cuda/lanes.h"

namespace weft::cuda {

/// Streams and events to capture with.
class Capture {
 public:
  Capture() = default;
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  /// Errors: kDeviceFault.
  Status open(std::size_t events);

  cudaStream_t stream(std::size_t lane) const { return streams_[lane]; }
  cudaEvent_t event(std::size_t turn) const { return events_[turn]; }

 private:
  std::array<cudaStream_t, kMostLanes> streams_{};
  std::vector<cudaEvent_t> events_;
};

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }

  /// Captures the turns. Products under conditions become parts of the graph that run where the conditions hold.
  /// Errors: kDeviceFault, kResourceExhausted.
  static Result<Graph> make(std::span<const Turn> turns, const StepMemory& memory, std::size_t lanes);

  bool made() const { return executable_ != nullptr; }
  cudaError_t launch(cudaStream_t stream) const { return cudaGraphLaunch(executable_, stream); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace weft::cuda
