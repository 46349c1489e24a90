// DeviceBuffers: a session's buffers as a GPU has them. Every element takes four bytes there: kStorage and kReal are
// float, kCounter is uint32_t; on their way to and from the host reals are double and counters uint64_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/program/buffer.h"
#include "src/program/program.h"
#include "weft/status.hpp"

namespace weft::device_buffers {

inline constexpr std::size_t kElementBytes = 4;

/// Bytes of an element as it travels.
inline std::size_t host_bytes(Element element) { return element == Element::kStorage ? sizeof(float) : sizeof(double); }

/// The bytes of all slots, of each kElementBytes times its elements. `device` names the place in messages.
/// Errors: kInternal for sizes below 0 elements in 1 slot, kResourceExhausted where 64 bits do not count the bytes.
Result<std::size_t> bytes_of(std::string_view device, const Buffer& buffer);

/// "all buffers need 123 bytes, most of them 'a' 60, 'b' 40, 'c' 20"
std::string needs(const BufferTable& buffers);

/// Errors: kInternal unless the buffer has that slot, and that many bytes of the host's go in it.
Status check_access(std::string_view device, const BufferTable& buffers, BufferId buffer, std::int64_t slot,
                    std::size_t bytes);

/// Errors: kInternal where an instruction names a buffer that is not there or reaches past its end, writes an argument,
/// or wants one that the call does not have.
Status check_operands(std::string_view device, const BufferTable& buffers, const Program& program, bool has_input,
                      bool has_target);

/// The most elements of the call's input (or target) that an instruction of the program reads.
std::int64_t argument_elements(const Program& program, BufferId argument);

/// The slot that an operand means in a ring of `slots`: (clock - lag) mod slots.
std::int64_t ring_slot(Operand operand, std::int64_t slots, std::uint64_t clock);

/// Elements of a buffer from the host's form into the device's. Errors: kUnsupported for a counter above 2^32-1.
Status to_device(std::string_view device, const Buffer& buffer, const void* from, std::size_t count, void* to);
void to_host(Element element, const void* from, std::size_t count, void* to);

}  // namespace weft::device_buffers
