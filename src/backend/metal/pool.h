// Pool: an autorelease pool. What Metal hands out without ownership (command buffers, encoders, strings, errors) lives
// until the innermost pool of its thread ends, and leaks where there is none: every entry of the backend has one.
#pragma once

#include "src/backend/metal/runtime.h"

namespace weft::metal {

/// Pools of a thread end in the reverse order of their beginnings.
class Pool {
 public:
  Pool() : pool_(objc().pool_push()) {}
  ~Pool() { objc().pool_pop(pool_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  void* pool_;
};

}  // namespace weft::metal
