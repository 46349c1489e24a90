// Memory: laying out the arena, copying in and out, finding operands.
#include "src/backend/metal/memory.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "src/backend/device_buffers.h"
#include "src/core/try.h"

namespace weft::metal {
namespace {

using device_buffers::kElementBytes;

constexpr std::size_t kAlignment = 256;  // the most that Metal ever asks of an offset

/// The bytes from a buffer's start to the next one's. Errors: as bytes_of.
Result<std::size_t> room(const Buffer& buffer) {
  WEFT_ASSIGN_OR_RETURN(const std::size_t bytes, device_buffers::bytes_of("metal", buffer));
  return (bytes / kAlignment + 1) * kAlignment;  // never none: an offset must lie in the arena
}

bool same_size(const Buffer& a, const Buffer& b) { return a.elements == b.elements && a.slots == b.slots; }

}  // namespace

Status Memory::reserve(const BufferTable& buffers) {
  std::vector<std::size_t> offsets(static_cast<std::size_t>(buffers.size()));
  std::size_t end = kAlignment;
  bool same = buffers.size() == buffers_.size() && arena_.size() != 0;
  for (BufferId id = 0; id < buffers.size(); ++id) {
    if (buffers[id].role == Role::kArgument) continue;
    WEFT_ASSIGN_OR_RETURN(const std::size_t bytes, room(buffers[id]));
    if (bytes > std::numeric_limits<std::size_t>::max() - end)
      return {StatusCode::kResourceExhausted, fmt::format("metal: buffer '{}' brings the session to more bytes than 64 "
                                                          "bits count; {}",
                                                          buffers[id].name, device_buffers::needs(buffers))};
    offsets[static_cast<std::size_t>(id)] = end;
    end += bytes;
    same = same && same_size(buffers[id], buffers_[id]);
  }
  if (same) return {};

  // The new arena is made first and put in place last, so that a failure changes nothing.
  Array<std::byte> arena;
  if (const Status made = arena.reserve(device_, end, "the buffers of a session", arena_.size()); !made.ok())
    return {made.code(), fmt::format("{}; {}", made.message(), device_buffers::needs(buffers))};
  std::memset(arena.data(), 0, kAlignment);
  for (BufferId id = 0; id < buffers.size(); ++id) {
    const auto index = static_cast<std::size_t>(id);
    if (buffers[id].role == Role::kArgument) continue;
    const auto bytes = static_cast<std::size_t>(buffers[id].elements * buffers[id].slots) * kElementBytes;
    const bool kept = id < buffers_.size() && index < offsets_.size() && same_size(buffers[id], buffers_[id]);
    if (kept) {
      std::memcpy(arena.data() + offsets[index], arena_.data() + offsets_[index], bytes);
    } else {
      std::memset(arena.data() + offsets[index], 0, bytes);
    }
  }
  arena_ = std::move(arena);
  offsets_ = std::move(offsets);
  buffers_ = buffers;
  ++layout_;
  return {};
}

Status Memory::write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) {
  WEFT_RETURN_IF_ERROR(device_buffers::check_access("metal", buffers_, buffer, slot, bytes));
  const Buffer& it = buffers_[buffer];
  float* to = at({buffer}).from(slot * it.elements).host;
  return device_buffers::to_device("metal", it, data, bytes / device_buffers::host_bytes(it.element), to);
}

Status Memory::read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const {
  WEFT_RETURN_IF_ERROR(device_buffers::check_access("metal", buffers_, buffer, slot, bytes));
  const Buffer& it = buffers_[buffer];
  device_buffers::to_host(it.element, at({buffer}).from(slot * it.elements).host,
                          bytes / device_buffers::host_bytes(it.element), data);
  return {};
}

Status Memory::reserve_arguments(const Program& program) {
  const auto elements = [&](BufferId argument) {
    return static_cast<std::size_t>(device_buffers::argument_elements(program, argument));
  };
  WEFT_RETURN_IF_ERROR(input_.reserve(device_, elements(BufferTable::kInput), "the input of a call"));
  return target_.reserve(device_, elements(BufferTable::kTarget), "the target of a call");
}

void Memory::stage(const Program& program, const RunArguments& arguments) const {
  const auto copy = [&](const void* from, BufferId argument, const Array<float>& to) {
    const std::int64_t elements = device_buffers::argument_elements(program, argument);
    if (elements != 0) std::memcpy(to.data(), from, static_cast<std::size_t>(elements) * sizeof(float));
  };
  copy(arguments.input, BufferTable::kInput, input_);
  copy(arguments.target, BufferTable::kTarget, target_);
}

Slice<std::byte> Memory::place_of(Operand operand, std::uint64_t clock) const {
  const auto whole = [](const Array<float>& array) {
    const Slice<float> all = array.slice();
    return Slice<std::byte>{all.buffer, all.offset, reinterpret_cast<std::byte*>(all.host)};
  };
  if (!operand.present()) return arena_.slice();
  if (operand.buffer == BufferTable::kInput) return whole(input_);
  if (operand.buffer == BufferTable::kTarget) return whole(target_);
  const Buffer& buffer = buffers_[operand.buffer];
  const std::int64_t slot = device_buffers::ring_slot(operand, buffer.slots, clock);
  const std::size_t into = static_cast<std::size_t>(slot * buffer.elements) * kElementBytes;
  return arena_.slice().from(static_cast<std::ptrdiff_t>(offsets_[static_cast<std::size_t>(operand.buffer)] + into));
}

}  // namespace weft::metal
