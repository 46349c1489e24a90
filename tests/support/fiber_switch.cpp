// The change from fiber to fiber, for x86-64, aarch64 and anything that has ucontext.
#include "tests/support/fiber_switch.h"

#include <cstdint>

#if WEFT_FIBERS_BY_HAND

// weft_switch_stack(void** from, void* to): keeps what a callee must keep, changes stacks, takes up what was kept
// there. Rounding and flushing modes are the same for all fibers of a thread.
#if defined(__APPLE__)
#define WEFT_SWITCH \
  ".text\n.private_extern _weft_switch_stack\n.globl _weft_switch_stack\n.p2align 2\n_weft_switch_stack:"
#else
#define WEFT_SWITCH \
  ".text\n.hidden weft_switch_stack\n.globl weft_switch_stack\n.type weft_switch_stack, STT_FUNC\nweft_switch_stack:"
#endif
#if defined(__x86_64__)
asm(WEFT_SWITCH R"(
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
#else
asm(WEFT_SWITCH R"(
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
)");
#endif

extern "C" void weft_switch_stack(void** from, void* to);

namespace weft::test {

void begin_fiber(FiberPlace& place, void* stack, std::size_t bytes, void (*entry)()) {
  char* top = static_cast<char*>(stack) + bytes;
  top -= reinterpret_cast<std::uintptr_t>(top) % 16;
#if defined(__x86_64__)
  constexpr std::size_t kWords = 8, kReturn = 6;  // six registers, where to go, and where entry would return to
#else
  constexpr std::size_t kWords = 20, kReturn = 11;  // x30
#endif
  auto* const words = reinterpret_cast<std::uintptr_t*>(top) - kWords;
  for (std::size_t i = 0; i < kWords; ++i) words[i] = 0;
  words[kReturn] = reinterpret_cast<std::uintptr_t>(entry);
  place.stack = words;
}

void switch_fiber(FiberPlace& from, FiberPlace& to) { weft_switch_stack(&from.stack, to.stack); }

}  // namespace weft::test

#else

namespace weft::test {

void begin_fiber(FiberPlace& place, void* stack, std::size_t bytes, void (*entry)()) {
  getcontext(&place.context);
  place.context.uc_stack.ss_sp = stack;
  place.context.uc_stack.ss_size = bytes;
  place.context.uc_link = nullptr;
  makecontext(&place.context, entry, 0);
}

void switch_fiber(FiberPlace& from, FiberPlace& to) { swapcontext(&from.context, &to.context); }

}  // namespace weft::test

#endif
