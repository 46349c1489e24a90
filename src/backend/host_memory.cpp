// HostMemory: reserving, copying in and out, and finding an operand.
#include "src/backend/host_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <utility>

#include "src/core/memory.h"
#include "src/core/try.h"

namespace weft {
namespace {

/// a*b, or false where 64 bits do not hold it.
bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return false;
  product = a * b;
  return true;
}

}  // namespace

Status HostMemory::reserve(const BufferTable& buffers) {
  try {
    return reserve_blocks(buffers);
  } catch (const std::bad_alloc&) {
    return {StatusCode::kResourceExhausted,
            fmt::format("{}: no memory for a list of {} buffers", device_, buffers.size())};
  }
}

Status HostMemory::reserve_blocks(const BufferTable& buffers) {
  // Everything new is made first and put in place last, so that a failure changes nothing.
  std::vector<std::pair<std::size_t, Block>> made;
  const std::uint64_t machine = physical_memory();
  std::uint64_t total = 0;
  for (BufferId id = 0; id < buffers.size(); ++id) {
    const Buffer& buffer = buffers[id];
    if (buffer.role == Role::kArgument) continue;
    const auto index = static_cast<std::size_t>(id);
    const std::uint64_t element_bytes = buffer.element == Element::kStorage ? storage_bytes_ : sizeof(std::uint64_t);
    std::uint64_t slot_bytes = 0, bytes = 0;
    if (buffer.elements < 0 || buffer.slots < 1) {
      return {StatusCode::kInternal, fmt::format("{}: buffer '{}' has {} elements in {} slots, wanted at least 0 in 1",
                                                 device_, buffer.name, buffer.elements, buffer.slots)};
    }
    if (!multiply(static_cast<std::uint64_t>(buffer.elements), element_bytes, slot_bytes) ||
        !multiply(slot_bytes, static_cast<std::uint64_t>(buffer.slots), bytes) ||
        bytes > std::numeric_limits<std::uint64_t>::max() - total) {
      return {StatusCode::kResourceExhausted,
              fmt::format("{}: buffer '{}' of {} elements in {} slots has more bytes than 64 bits count", device_,
                          buffer.name, buffer.elements, buffer.slots)};
    }
    total += bytes;
    if (machine != 0 && total > machine) {
      return {StatusCode::kResourceExhausted,
              fmt::format("{}: buffer '{}' of {} bytes brings the session to {} bytes, this machine has {}", device_,
                          buffer.name, bytes, total, machine)};
    }
    if (index < blocks_.size() && blocks_[index].slot_bytes == slot_bytes &&
        blocks_[index].slots == static_cast<std::uint64_t>(buffer.slots)) {
      continue;
    }
    made.emplace_back(index, Block{.bytes = {},
                                   .slot_bytes = static_cast<std::size_t>(slot_bytes),
                                   .slots = static_cast<std::uint64_t>(buffer.slots)});
  }
  // Only now that the sum is known to fit is any of it taken.
  for (auto& [index, block] : made) {
    const std::size_t size = block.slot_bytes * static_cast<std::size_t>(block.slots);
    block.bytes.reset(
        static_cast<std::byte*>(::operator new[](size == 0 ? 1 : size, std::align_val_t{kAlignment}, std::nothrow)));
    if (block.bytes == nullptr) {
      return {StatusCode::kResourceExhausted, fmt::format("{}: no memory for buffer '{}' of {} bytes", device_,
                                                          buffers[static_cast<BufferId>(index)].name, size)};
    }
    std::memset(block.bytes.get(), 0, size);
  }
  if (blocks_.size() < static_cast<std::size_t>(buffers.size()))
    blocks_.resize(static_cast<std::size_t>(buffers.size()));
  for (auto& [index, block] : made) blocks_[index] = std::move(block);
  return {};
}

Result<std::byte*> HostMemory::locate(BufferId buffer, std::int64_t slot, std::size_t bytes) const {
  const auto index = static_cast<std::size_t>(buffer);
  if (buffer < 0 || index >= blocks_.size() || blocks_[index].bytes == nullptr) {
    return Status{StatusCode::kInternal, fmt::format("{}: buffer {} has no memory", device_, buffer)};
  }
  const Block& block = blocks_[index];
  if (slot < 0 || static_cast<std::uint64_t>(slot) >= block.slots || bytes > block.slot_bytes) {
    return Status{StatusCode::kInternal,
                  fmt::format("{}: {} bytes of slot {} of buffer {} wanted, it has {} slots of {} bytes", device_,
                              bytes, slot, buffer, block.slots, block.slot_bytes)};
  }
  return block.bytes.get() + static_cast<std::size_t>(slot) * block.slot_bytes;
}

Status HostMemory::write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) {
  WEFT_ASSIGN_OR_RETURN(std::byte* const at, locate(buffer, slot, bytes));
  if (bytes != 0) std::memcpy(at, data, bytes);
  return {};
}

Status HostMemory::read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const {
  WEFT_ASSIGN_OR_RETURN(const std::byte* const at, locate(buffer, slot, bytes));
  if (bytes != 0) std::memcpy(data, at, bytes);
  return {};
}

Status HostMemory::check(const Program& program, const RunArguments& arguments) const {
  const auto usable = [&](BufferId buffer) {
    if (buffer == BufferTable::kInput) return arguments.input != nullptr;
    if (buffer == BufferTable::kTarget) return arguments.target != nullptr;
    const auto index = static_cast<std::size_t>(buffer);
    return buffer == kNoBuffer || (buffer >= 0 && index < blocks_.size() && blocks_[index].bytes != nullptr);
  };
  for (const Instruction& instruction : program.code) {
    bool all = true;
    for (const Operand& operand : instruction.in) all = all && usable(operand.buffer);
    for (const Operand& operand : instruction.out)
      all = all && operand.buffer != BufferTable::kInput && operand.buffer != BufferTable::kTarget &&
            usable(operand.buffer);
    for (const Predicate& predicate : instruction.when) all = all && usable(predicate.counter);
    if (!all) {
      return {StatusCode::kInternal,
              fmt::format("{}: instruction {} ({}) of '{}' names a buffer without memory", device_,
                          &instruction - program.code.data(), to_string(instruction.op), program.title)};
    }
  }
  return {};
}

void* HostMemory::resolve(Operand operand, const RunArguments& arguments) const {
  if (!operand.present()) return nullptr;
  // No instruction writes an argument (check sees to it), so the cast is never used to.
  if (operand.buffer == BufferTable::kInput) return const_cast<void*>(arguments.input);
  if (operand.buffer == BufferTable::kTarget) return const_cast<void*>(arguments.target);
  const Block& block = blocks_[static_cast<std::size_t>(operand.buffer)];
  if (block.slots == 1) return block.bytes.get();
  // Reduced before the subtraction: a clock younger than the lag must not wrap at 2^64.
  const auto slots = static_cast<std::int64_t>(block.slots);
  const std::int64_t age = operand.lag % slots;
  const auto now = static_cast<std::int64_t>(arguments.clock % block.slots);
  const std::int64_t slot = (now - age + slots) % slots;
  return block.bytes.get() + static_cast<std::size_t>(slot) * block.slot_bytes;
}

}  // namespace weft
