// Stream: work of a GPU that is done in order, beside that of other streams.
#pragma once

#include <cuda_runtime_api.h>

#include "src/backend/cuda/status.h"

namespace weft::cuda {

class Stream {
 public:
  Stream() = default;
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Makes it on the thread's GPU, the first time.
  Status open() {
    return stream_ != nullptr
               ? Status()
               : to_status(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace weft::cuda
