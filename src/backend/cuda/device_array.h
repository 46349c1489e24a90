// DeviceArray: memory of a GPU that grows and is given back with its owner.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "src/backend/cuda/status.h"
#include "src/core/try.h"

namespace weft::cuda {

/// kResourceExhausted with the bytes asked for and those that are free.
Status no_memory(std::string_view what, std::size_t bytes);

template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_);
    return *this;
  }

  /// Room for `size` elements at least; growing loses the contents and waits for the device.
  /// Errors: kResourceExhausted naming `what`, then the room is as before; kDeviceFault.
  Status reserve(std::size_t size, std::string_view what) {
    if (size <= size_) return {};
    void* memory = nullptr;
    if (const cudaError_t error = cudaMalloc(&memory, size * sizeof(T)); error == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not a fault: the device goes on as before
      return no_memory(what, size * sizeof(T));
    } else {
      WEFT_RETURN_IF_ERROR(to_status(error, fmt::format("making room for {}", what)));
    }
    cudaFree(data_);
    data_ = static_cast<T*>(memory);
    size_ = size;
    return {};
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Makes room for the elements and starts copying them there. Errors: as reserve; kDeviceFault starting with `what`.
template <typename T>
Status copy_in(const std::vector<T>& from, DeviceArray<T>& to, std::string_view what, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(to.reserve(from.size(), what));
  return to_status(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
                   what);
}

}  // namespace weft::cuda
