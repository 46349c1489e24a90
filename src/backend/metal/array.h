// Array: elements in a buffer of their own that the host and the GPU share. It grows and loses its contents then.
#pragma once

#include <cstddef>
#include <string_view>

#include "src/backend/metal/device.h"
#include "src/backend/metal/slice.h"
#include "src/core/try.h"

namespace weft::metal {

template <typename T>
class Array {
 public:
  /// Room for `count` elements. Nothing of it may be in flight; `replaced` bytes of another array go afterwards.
  /// Errors: kResourceExhausted starting with `what`; then nothing has changed.
  Status reserve(const Device& device, std::size_t count, std::string_view what, std::size_t replaced = 0) {
    if (buffer_ && count <= size_) return {};
    WEFT_ASSIGN_OR_RETURN(buffer_, device.new_buffer(count * sizeof(T), what, replaced + size_ * sizeof(T)));
    contents_ = static_cast<T*>(objc().contents(buffer_.get()));
    size_ = count;
    return {};
  }

  T* data() const { return contents_; }
  std::size_t size() const { return size_; }
  Slice<T> slice() const { return {buffer_.get(), 0, contents_}; }

 private:
  Owned buffer_;
  T* contents_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace weft::metal
