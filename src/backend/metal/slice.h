// Slice: elements in memory that the host and the GPU share, as both find them.
#pragma once

#include <cstddef>
#include <type_traits>

#include "src/backend/metal/runtime.h"

namespace weft::metal {

template <typename T>
struct Slice {
  Id buffer = nullptr;  // null: there are none
  UInteger offset = 0;  // bytes
  T* host = nullptr;

  bool present() const { return buffer != nullptr; }
  Slice<T> from(std::ptrdiff_t element) const {
    return {buffer, offset + static_cast<UInteger>(element) * sizeof(T), host + element};
  }
  operator Slice<const T>() const requires(!std::is_const_v<T>) { return {buffer, offset, host}; }
};

}  // namespace weft::metal
