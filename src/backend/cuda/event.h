// Event: a point in a stream's work that other streams and the host can wait for.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "src/backend/cuda/status.h"
#include "src/core/try.h"

namespace weft::cuda {

class Event {
 public:
  Event() = default;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  Status open() {
    return event_ != nullptr ? Status()
                             : to_status(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
  }

  Status record(cudaStream_t stream) const { return to_status(cudaEventRecord(event_, stream), "recording an event"); }
  /// What the stream gets from now on waits for the event as it was recorded last.
  Status hold(cudaStream_t stream) const {
    return to_status(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event");
  }
  /// The host waits. Errors: kDeviceFault starting with `what`.
  Status wait(std::string_view what) const { return to_status(cudaEventSynchronize(event_), what); }

  /// What `after` gets from now on waits for what `before` has by now.
  Status order(cudaStream_t before, cudaStream_t after) const {
    WEFT_RETURN_IF_ERROR(record(before));
    return hold(after);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace weft::cuda
