// Owned: an object of which the holder has one count.
#pragma once

#include <utility>

#include "src/backend/metal/runtime.h"

namespace weft::metal {

class Owned {
 public:
  Owned() = default;
  /// Of what a `new` message answered, whose count is the caller's already. Null stays null.
  static Owned taken(Id object) { return Owned(object); }
  /// Of what is somebody else's: with a count more.
  static Owned shared(Id object) { return Owned(object == nullptr ? nullptr : objc().retain(object)); }

  ~Owned() {
    if (object_ != nullptr) objc().release(object_);
  }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  Id get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Owned(Id object) : object_(object) {}

  Id object_ = nullptr;
};

}  // namespace weft::metal
