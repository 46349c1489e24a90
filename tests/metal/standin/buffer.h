// Buffer: memory that host and GPU share, with guards around it.
#pragma once

#include "tests/metal/standin/messages.h"

namespace weft::standin {

class Buffer final : public Object {
 public:
  explicit Buffer(UInteger bytes);
  ~Buffer() override;

  char* bytes() const { return memory_ + kGuard; }
  UInteger length() const { return length_; }

  /// Fails where somebody wrote before or behind the bytes; `when` says who may have.
  void check_guards(const char* when) const;

 private:
  static constexpr std::size_t kGuard = 4096;
  void dispose() override;

  char* memory_;
  UInteger length_;
};

/// -[MTLDevice newBufferWithLength:options:]
void* new_buffer(void* self, Selector, UInteger length, UInteger options);

inline constexpr UInteger kMostBufferBytes = UInteger{4} << 30;

}  // namespace weft::standin
