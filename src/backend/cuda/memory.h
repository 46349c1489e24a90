// DeviceMemory: the buffers of a session in a GPU's memory, and the stream that everything on them is ordered by.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/backend/backend.h"
#include "src/kernels/step.h"

namespace weft::cuda {

/// Every element takes four bytes there: kStorage and kReal are float, kCounter is uint32_t.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Makes the stream. To be called once, before anything else. Errors: kDeviceFault.
  Status open();
  cudaStream_t stream() const { return stream_; }
  /// Waits for everything on the stream. Errors: kDeviceFault starting with `what`.
  Status wait(std::string_view what) const;

  // As Backend's; arguments of a call (Role::kArgument) get their memory from stage.
  Status reserve(const BufferTable& buffers);
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes);
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const;

  /// Errors: kInternal where an instruction names a buffer without memory or reaches past its end, writes an argument,
  /// or wants one that the call does not have.
  Status check(const Program& program, const RunArguments& arguments) const;

  /// Starts copying the call's input and target to the device, in one piece. A stage may only follow a wait.
  /// Errors: kResourceExhausted, kDeviceFault.
  Status stage(const Program& program, const RunArguments& arguments);

  /// Where the operands of an instruction lie: slot (clock - lag) mod slots. The program must have passed check and
  /// stage.
  kernels::Operands operands(const Instruction& instruction, std::uint64_t clock) const;

 private:
  struct FreeDevice {
    void operator()(std::byte* bytes) const { cudaFree(bytes); }
  };
  struct FreeHost {
    void operator()(std::byte* bytes) const { cudaFreeHost(bytes); }
  };
  using DevicePointer = std::unique_ptr<std::byte, FreeDevice>;
  struct Block {
    DevicePointer bytes;
    Element element = Element::kStorage;
    std::int64_t elements = 0;  // of one slot
    std::int64_t slots = 0;
  };

  Result<Block> make_block(const Buffer& buffer) const;
  /// The block and the start of the slot, where `bytes` as the host counts them fit in.
  Result<const Block*> locate(BufferId buffer, std::int64_t slot, std::size_t bytes) const;
  const Block* block_of(BufferId buffer) const;  // null where it has no memory
  std::byte* resolve(Operand operand, std::uint64_t clock) const;

  cudaStream_t stream_ = nullptr;
  std::vector<Block> blocks_;  // by BufferId
  // The arguments of the call: the input first, then the target.
  DevicePointer arguments_;
  std::unique_ptr<std::byte, FreeHost> staging_;  // page-locked, so that one asynchronous copy takes both
  std::size_t argument_bytes_ = 0, target_at_ = 0;
};

}  // namespace weft::cuda
