// Sizes, checks and forms of buffers on GPUs.
#include "src/backend/device_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "src/program/extents.h"

namespace weft::device_buffers {

Result<std::size_t> bytes_of(std::string_view device, const Buffer& buffer) {
  if (buffer.elements < 0 || buffer.slots < 1) {
    return Status{StatusCode::kInternal,
                  fmt::format("{}: buffer '{}' has {} elements in {} slots, wanted at least 0 in 1", device,
                              buffer.name, buffer.elements, buffer.slots)};
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(kElementBytes);
  if (buffer.elements > kMost / buffer.slots) {
    return Status{StatusCode::kResourceExhausted,
                  fmt::format("{}: buffer '{}' of {} elements in {} slots has more bytes than 64 bits count", device,
                              buffer.name, buffer.elements, buffer.slots)};
  }
  return static_cast<std::size_t>(buffer.elements * buffer.slots) * kElementBytes;
}

std::string needs(const BufferTable& buffers) {
  constexpr std::size_t kNamed = 3;
  double all = 0.0;  // may be more than 64 bits count
  std::vector<std::pair<double, BufferId>> largest;
  for (BufferId id = 0; id < buffers.size(); ++id) {
    if (buffers[id].role == Role::kArgument) continue;
    const double bytes = static_cast<double>(buffers[id].elements) * static_cast<double>(buffers[id].slots) *
                         static_cast<double>(kElementBytes);
    all += bytes;
    largest.emplace_back(-bytes, id);
  }
  const auto named = static_cast<std::ptrdiff_t>(std::min(kNamed, largest.size()));
  std::partial_sort(largest.begin(), largest.begin() + named, largest.end());
  std::string text = fmt::format("all buffers need {:.0f} bytes", all);
  for (std::ptrdiff_t i = 0; i < named; ++i) {
    const auto& [bytes, id] = largest[static_cast<std::size_t>(i)];
    text += fmt::format("{} '{}' {:.0f}", i == 0 ? ", most of them" : ",", buffers[id].name, -bytes);
  }
  return text;
}

Status check_access(std::string_view device, const BufferTable& buffers, BufferId buffer, std::int64_t slot,
                    std::size_t bytes) {
  if (buffer < 0 || buffer >= buffers.size() || buffers[buffer].role == Role::kArgument)
    return {StatusCode::kInternal, fmt::format("{}: buffer {} has no memory", device, buffer)};
  const Buffer& it = buffers[buffer];
  const std::size_t element_bytes = host_bytes(it.element);
  if (slot >= 0 && slot < it.slots && bytes % element_bytes == 0 &&
      bytes / element_bytes <= static_cast<std::size_t>(it.elements))
    return {};
  return {StatusCode::kInternal,
          fmt::format("{}: {} bytes of slot {} of buffer '{}' wanted, it has {} slots of {} elements of {} bytes",
                      device, bytes, slot, it.name, it.slots, it.elements, element_bytes)};
}

Status check_operands(std::string_view device, const BufferTable& buffers, const Program& program, bool has_input,
                      bool has_target) {
  const auto holds = [&](Operand operand, std::int64_t elements) {
    if (!operand.present()) return true;
    const BufferId id = operand.buffer;
    return id >= 0 && id < buffers.size() && buffers[id].role != Role::kArgument && operand.lag >= 0 &&
           elements <= buffers[id].elements;
  };
  const auto holds_input = [&](Operand operand, std::int64_t elements) {
    if (operand.buffer == BufferTable::kInput) return has_input;
    if (operand.buffer == BufferTable::kTarget) return has_target;
    return holds(operand, elements);
  };
  for (const Instruction& instruction : program.code) {
    const Extents reach = extents(instruction);
    bool all = true;
    for (std::size_t i = 0; i < reach.in.size(); ++i) all = all && holds_input(instruction.in[i], reach.in[i]);
    for (std::size_t i = 0; i < reach.out.size(); ++i) all = all && holds(instruction.out[i], reach.out[i]);
    for (const Predicate& predicate : instruction.when) all = all && holds({predicate.counter}, 1);
    if (!all) {
      return {StatusCode::kInternal,
              fmt::format("{}: instruction {} ({}) of '{}' names a buffer without memory, or without enough", device,
                          &instruction - program.code.data(), to_string(instruction.op), program.title)};
    }
  }
  return {};
}

std::int64_t argument_elements(const Program& program, BufferId argument) {
  std::int64_t most = 0;
  for (const Instruction& instruction : program.code) {
    const Extents reach = extents(instruction);
    for (std::size_t i = 0; i < reach.in.size(); ++i)
      if (instruction.in[i].buffer == argument) most = std::max(most, reach.in[i]);
  }
  return most;
}

std::int64_t ring_slot(Operand operand, std::int64_t slots, std::uint64_t clock) {
  // Reduced before the subtraction: a clock younger than the lag must not wrap at 2^64.
  const auto now = static_cast<std::int64_t>(clock % static_cast<std::uint64_t>(slots));
  return (now - operand.lag % slots + slots) % slots;
}

Status to_device(std::string_view device, const Buffer& buffer, const void* from, std::size_t count, void* to) {
  switch (buffer.element) {
    case Element::kStorage:
      if (count != 0) std::memcpy(to, from, count * kElementBytes);
      break;
    case Element::kReal:
      std::transform(static_cast<const double*>(from), static_cast<const double*>(from) + count,
                     static_cast<float*>(to), [](double real) { return static_cast<float>(real); });
      break;
    case Element::kCounter: {
      const auto* counters = static_cast<const std::uint64_t*>(from);
      const auto* const large = std::find_if(counters, counters + count, [](std::uint64_t counter) {
        return counter > std::numeric_limits<std::uint32_t>::max();
      });
      if (large != counters + count)
        return {StatusCode::kUnsupported,
                fmt::format("{}: counter {} of buffer '{}' is {}, this device counts to 2^32-1", device,
                            large - counters, buffer.name, *large)};
      std::transform(counters, counters + count, static_cast<std::uint32_t*>(to),
                     [](std::uint64_t counter) { return static_cast<std::uint32_t>(counter); });
      break;
    }
  }
  return {};
}

void to_host(Element element, const void* from, std::size_t count, void* to) {
  switch (element) {
    case Element::kStorage:
      if (count != 0) std::memcpy(to, from, count * kElementBytes);
      break;
    case Element::kReal:
      std::copy(static_cast<const float*>(from), static_cast<const float*>(from) + count, static_cast<double*>(to));
      break;
    case Element::kCounter:
      std::copy(static_cast<const std::uint32_t*>(from), static_cast<const std::uint32_t*>(from) + count,
                static_cast<std::uint64_t*>(to));
      break;
  }
}

}  // namespace weft::device_buffers
