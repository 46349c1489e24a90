// DeviceMemory: the buffers of a session in a GPU's memory, and the stream that everything on them is ordered by.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/backend/backend.h"
#include "src/backend/cuda/blas.h"
#include "src/backend/cuda/device_array.h"
#include "src/kernels/step.h"
#include "weft/precision.hpp"

namespace weft::cuda {

/// Where the input and target of a call lie.
struct Arguments {
  float* input;
  float* target;
  bool operator==(const Arguments&) const = default;
};

/// As src/backend/device_buffers.h says.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Makes the stream on that GPU. To be called once, before anything else. Errors: kDeviceFault.
  Status open(int device, Precision precision = Precision::kFloat32);
  int device() const { return device_; }
  Precision precision() const { return precision_; }
  cudaStream_t stream() const { return stream_; }
  /// Waits for everything on the stream. Errors: kDeviceFault starting with `what`.
  Status wait(std::string_view what) const;

  /// The buffers as they were reserved last.
  const BufferTable& buffers() const { return buffers_; }

  // As Backend's; arguments of a call (Role::kArgument) get their memory from stage.
  Status reserve(const BufferTable& buffers);
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes);
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const;

  /// Makes room for the input and target that the program reads. Errors: kResourceExhausted, kDeviceFault.
  Status reserve_arguments(const Program& program);
  /// Starts copying a call's input and target there. Errors: kDeviceFault.
  Status stage(const Program& program, const RunArguments& arguments);
  Arguments arguments() const { return {input_.data(), target_.data()}; }

  /// Scratch memory of at least so many bytes, the same for all programs of the session; whoever holds it keeps it.
  /// Errors: kResourceExhausted, kDeviceFault.
  Result<std::shared_ptr<const DeviceArray<std::byte>>> scratch(std::size_t bytes);

  /// cuBLASLt for this GPU, null where it is missing. Errors: kDeviceFault; kNotFound where the session's precision
  /// cannot do without.
  Result<Blas*> blas();

  Role role(BufferId buffer) const;              // kArgument: the input or target of a call
  std::int64_t slots(BufferId buffer) const;     // 1 but for a ring
  std::size_t alignment(BufferId buffer) const;  // bytes that every slot's address is a multiple of, at most 256

  /// Where an operand lies that is no argument, in slot (clock - lag) mod slots of a ring; null for an absent one.
  std::byte* place(Operand operand, std::uint64_t clock) const;

 private:
  struct FreeDevice {
    void operator()(std::byte* bytes) const { cudaFree(bytes); }
  };
  using DevicePointer = std::unique_ptr<std::byte, FreeDevice>;
  struct Block {
    DevicePointer bytes;
    Element element = Element::kStorage;
    Role role = Role::kScratch;
    std::int64_t elements = 0;  // of one slot
    std::int64_t slots = 0;
  };

  Result<Block> make_block(const Buffer& buffer) const;
  std::byte* start_of(BufferId buffer, std::int64_t slot) const;
  const Block* block_of(BufferId buffer) const;  // null where it has no memory

  int device_ = 0;
  Precision precision_ = Precision::kFloat32;
  cudaStream_t stream_ = nullptr;
  BufferTable buffers_;
  std::vector<Block> blocks_;          // by BufferId
  DeviceArray<float> input_, target_;  // the arguments of a call
  std::shared_ptr<const DeviceArray<std::byte>> scratch_;
  std::unique_ptr<Blas> blas_;
  bool blas_looked_for_ = false;
};

}  // namespace weft::cuda
