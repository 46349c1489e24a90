// FiberPlace: where a fiber stopped, and the change from one to another. By hand where the processor is known, since
// ucontext makes two calls of the kernel for each change.
#pragma once

#include <cstddef>

#if !(defined(__x86_64__) || defined(__aarch64__)) || defined(WEFT_FIBERS_UCONTEXT)
#define WEFT_FIBERS_BY_HAND 0
#include <ucontext.h>
#else
#define WEFT_FIBERS_BY_HAND 1
#endif

namespace weft::test {

struct FiberPlace {
#if WEFT_FIBERS_BY_HAND
  void* stack = nullptr;  // its pointer; what a callee must keep lies on it
#else
  ucontext_t context;
#endif
};

/// Makes `place` the start of `entry`, which never returns, on an empty stack.
void begin_fiber(FiberPlace& place, void* stack, std::size_t bytes, void (*entry)());
/// Goes on at `to`; comes back when somebody goes on at `from`.
void switch_fiber(FiberPlace& from, FiberPlace& to);

}  // namespace weft::test
