// Memory that is never zero by chance, and watched at both ends.
#include "tests/metal/standin/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/metal/standin/counts.h"
#include "tests/metal/standin/foundation.h"
#include "tests/metal/standin/settings.h"

namespace weft::standin {
namespace {

constexpr char kFresh = 0x7f, kGuardByte = 0x5a;

void* contents(void* self, Selector) { return self_of<Buffer>(self).bytes(); }
UInteger length(void* self, Selector) { return self_of<Buffer>(self).length(); }

}  // namespace

Buffer::Buffer(UInteger bytes) : Object(kMTLBuffer), length_(bytes) {
  const std::size_t whole = (bytes + 2 * kGuard + kGuard - 1) / kGuard * kGuard;
  memory_ = static_cast<char*>(std::aligned_alloc(kGuard, whole));
  if (memory_ == nullptr) throw std::bad_alloc();
  std::memset(memory_, kGuardByte, kGuard);
  std::memset(memory_ + kGuard, kFresh, bytes);
  std::memset(memory_ + kGuard + bytes, kGuardByte, kGuard);
  ++counts().buffers;
  counts().bytes += static_cast<long>(bytes);
  counts().bytes_alive += static_cast<long>(bytes);
}

Buffer::~Buffer() { std::free(memory_); }

void Buffer::check_guards(const char* when) const {
  const auto whole = [](const char* guard) {
    return std::all_of(guard, guard + kGuard, [](char byte) { return byte == kGuardByte; });
  };
  require(whole(memory_), "{}: something wrote before the start of a buffer of {} bytes", when, length_);
  require(whole(memory_ + kGuard + length_), "{}: something wrote behind the end of a buffer of {} bytes", when,
          length_);
}

void Buffer::dispose() {
  check_guards("release of a buffer");
  counts().bytes_alive -= static_cast<long>(length_);
  std::free(std::exchange(memory_, nullptr));
}

void* new_buffer(void*, Selector, UInteger length, UInteger options) {
  require(length > 0, "newBufferWithLength:options: of no bytes");
  require(length <= kMostBufferBytes, "newBufferWithLength:options: of {} bytes, maxBufferLength is {}", length,
          kMostBufferBytes);
  require(options == 0, "newBufferWithLength:options: with options {}, wanted 0 (shared storage)", options);
  if (strikes(Fault::kBuffer)) return nullptr;
  if (static_cast<UInteger>(counts().bytes_alive) + length > memory_limit()) return nullptr;
  return static_cast<Object*>(new Buffer(length));
}

void add_buffer_methods() {
  add_methods(kMTLBuffer, {method("contents", contents), method("length", length), method("setLabel:", set_label)});
}

}  // namespace weft::standin
