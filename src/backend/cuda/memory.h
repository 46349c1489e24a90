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

/// Every element takes four bytes there: kStorage and kReal are float, kCounter is uint32_t.
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

  /// Errors: kInternal where an instruction names a buffer without memory or reaches past its end, writes an argument,
  /// or wants one that the call does not have (has_arguments: it has both).
  Status check(const Program& program, const RunArguments& arguments, bool has_arguments = false) const;

  /// Makes room for the input and target that the program reads. Errors: kResourceExhausted, kDeviceFault.
  Status reserve_arguments(const Program& program);
  /// Starts copying a call's input and target there. Errors: kDeviceFault.
  Status stage(const Program& program, const RunArguments& arguments);
  Arguments arguments() const { return {input_.data(), target_.data()}; }

  /// The most elements of the call's input (or target) that an instruction of the program reads.
  static std::int64_t argument_elements(const Program& program, BufferId argument);

  /// Scratch memory of at least so many bytes, the same for all programs of the session; whoever holds it keeps it.
  /// Errors: kResourceExhausted, kDeviceFault.
  Result<std::shared_ptr<const DeviceArray<std::byte>>> scratch(std::size_t bytes);

  /// cuBLASLt for this GPU, null where it is missing. Errors: kDeviceFault; kNotFound where the session's precision
  /// cannot do without.
  Result<Blas*> blas();

  Role role(BufferId buffer) const;              // kArgument: the input or target of a call
  std::int64_t slots(BufferId buffer) const;     // 1 but for a ring
  std::size_t alignment(BufferId buffer) const;  // bytes that every slot's address is a multiple of, at most 256

  /// Where an operand lies, in slot (clock - lag) mod slots of a ring; null for an absent one.
  std::byte* place(Operand operand, std::uint64_t clock) const;

  /// Where the operands of an instruction lie. The program must have passed check, and have its arguments reserved.
  kernels::Operands operands(const Instruction& instruction, std::uint64_t clock) const;

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
  /// The block and the start of the slot, where `bytes` as the host counts them fit in.
  Result<const Block*> locate(BufferId buffer, std::int64_t slot, std::size_t bytes) const;
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
