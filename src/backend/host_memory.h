// HostMemory: the buffers of a session in this machine's memory. Bookkeeping only, no arithmetic; both CPU
// devices keep their buffers in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "src/backend/backend.h"

namespace weft {

class HostMemory {
 public:
  /// `device` names the place in messages; `storage_bytes` is the size of an Element::kStorage.
  HostMemory(std::string device, std::size_t storage_bytes)
      : device_(std::move(device)), storage_bytes_(storage_bytes) {}

  // As Backend's; arguments of a call (Role::kArgument) get no memory.
  Status reserve(const BufferTable& buffers);
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes);
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const;

  /// Errors: kInternal where an instruction that would run names a buffer without memory, or an argument
  /// that the call does not have.
  Status check(const Program& program, const RunArguments& arguments) const;

  /// The operand's first element: the call's argument, or the start of slot (clock - lag) mod slots.
  /// Null for an absent operand.
  void* resolve(Operand operand, const RunArguments& arguments) const;

  /// Whether resolve may give another place at the next call: for an argument, and for a ring of slots.
  bool moves(BufferId buffer) const {
    return buffer == BufferTable::kInput || buffer == BufferTable::kTarget ||
           blocks_[static_cast<std::size_t>(buffer)].slots > 1;
  }

 private:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector register
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{kAlignment}); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> bytes;
    std::size_t slot_bytes = 0;
    std::uint64_t slots = 0;
  };

  Status reserve_blocks(const BufferTable& buffers);
  Result<std::byte*> locate(BufferId buffer, std::int64_t slot, std::size_t bytes) const;

  std::string device_;
  std::size_t storage_bytes_;
  std::vector<Block> blocks_;  // by BufferId
};

}  // namespace weft
