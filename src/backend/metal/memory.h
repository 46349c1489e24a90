// Memory: the buffers of a session, all in one buffer of Metal's (the arena), and the arguments of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/backend/backend.h"
#include "src/backend/metal/array.h"
#include "src/backend/metal/device.h"

namespace weft::metal {

/// As src/backend/device_buffers.h says. The host reads and writes where the GPU does, so nothing that is in flight may
/// touch what it asks for.
class Memory {
 public:
  explicit Memory(Device& device) : device_(device) {}

  Device& device() const { return device_; }
  /// The buffers as they were reserved last.
  const BufferTable& buffers() const { return buffers_; }
  /// Changes whenever one of them moves.
  std::uint64_t layout() const { return layout_; }

  // As Backend's; arguments of a call (Role::kArgument) get their memory from reserve_arguments.
  Status reserve(const BufferTable& buffers);
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes);
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const;

  /// Makes room for the input and target that the program reads. Errors: kResourceExhausted.
  Status reserve_arguments(const Program& program);
  /// Copies a call's input and target there.
  void stage(const Program& program, const RunArguments& arguments) const;

  /// Where an operand lies, in slot (clock - lag) mod slots of a ring; for an absent one a few zeros. Of counters, the
  /// elements are uint32_t. The program must have passed check_operands and have its arguments reserved.
  template <typename T = float>
  Slice<T> at(Operand operand, std::uint64_t clock = 0) const {
    static_assert(sizeof(T) == 4);
    const Slice<std::byte> place = place_of(operand, clock);
    return {place.buffer, place.offset, reinterpret_cast<T*>(place.host)};
  }

  /// How many floats behind the start of the arena, which is at({}), a buffer's first slot lies.
  std::int64_t float_offset(BufferId buffer) const {
    return static_cast<std::int64_t>(offsets_[static_cast<std::size_t>(buffer)] / sizeof(float));
  }

 private:
  Slice<std::byte> place_of(Operand operand, std::uint64_t clock) const;

  Device& device_;
  BufferTable buffers_;
  std::uint64_t layout_ = 0;
  Array<std::byte> arena_;            // starts with zeros, which stand for absent operands
  std::vector<std::size_t> offsets_;  // by BufferId
  Array<float> input_, target_;       // the arguments of a call
};

}  // namespace weft::metal
