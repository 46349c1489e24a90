// Taking turns: who runs next, who waits for whom, and what is told where threads do not meet.
#include "tests/support/fibers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tests/support/fiber_switch.h"
#include "tests/support/sanitizers.h"

#if WEFT_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/tsan_interface.h>
#endif

namespace weft::test {
namespace {

enum State : int { kReady, kAtBarrier, kAtLanes, kDone };

// Asked at every turn; also in a library that is loaded late they have room in the block that every thread has.
#if defined(__ELF__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local Fibers* running = nullptr;
thread_local FiberPlace home;

/// Tells a sanitizer, where there is one, whose stack is in use.
struct Watcher {
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
  void leave(const Watcher& to) { __sanitizer_start_switch_fiber(&fake, to.bottom, to.size); }
  void arrive(Watcher* from) {
    __sanitizer_finish_switch_fiber(fake, from == nullptr ? nullptr : &from->bottom,
                                    from == nullptr ? nullptr : &from->size);
  }
#elif defined(__SANITIZE_THREAD__)
  void* fiber = nullptr;
  void leave(const Watcher& to) { __tsan_switch_to_fiber(to.fiber, 0); }
  void arrive(Watcher*) {}
#else
  void leave(const Watcher&) {}
  void arrive(Watcher*) {}
#endif
};

thread_local Watcher home_watcher;

}  // namespace

struct Fibers::Fiber {
  FiberPlace place;
  Watcher watcher;
  char* memory = nullptr;
  std::size_t mapped = 0;
};

struct Fibers::Thread {
  std::uint32_t rank = 0;
  int state = kReady;
  Fiber* fiber = nullptr;
  const void* place = nullptr;
  std::uint32_t barriers = 0, handed = 0;
};

struct FiberEntry {
  /// What every fiber runs: one thread after the other, as long as there are any.
  [[noreturn]] static void run() {
    running->current_->fiber->watcher.arrive(&home_watcher);
    for (;;) {
      running->body_(running->context_);
      Fibers::wait(kDone, nullptr);
    }
  }
};

Fibers::Fibers(std::size_t stack_bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stack_bytes_ = (stack_bytes + page - 1) / page * page;
}

Fibers::~Fibers() {
  for (const auto& fiber : fibers_) {
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(fiber->watcher.fiber);
#endif
    munmap(fiber->memory, fiber->mapped);
  }
}

Fibers::Fiber* Fibers::free_fiber() {
  if (!free_.empty()) {
    Fiber* const last = free_.back();
    free_.pop_back();
    return last;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto made = std::make_unique<Fiber>();
  made->mapped = page + stack_bytes_;
  void* const memory = mmap(nullptr, made->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // A stack that grows too long meets a page that nobody may touch.
  if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) std::abort();
  made->memory = static_cast<char*>(memory);
  // Stacks start at different distances from a page's end, or all of them would want the same lines of the cache.
  const std::size_t used = stack_bytes_ - fibers_.size() % 16 * 192;
  begin_fiber(made->place, made->memory + page, used, &FiberEntry::run);
#if defined(__SANITIZE_ADDRESS__)
  made->watcher.bottom = made->memory + page;
  made->watcher.size = used;
#elif defined(__SANITIZE_THREAD__)
  made->watcher.fiber = __tsan_create_fiber(0);
#endif
  fibers_.push_back(std::move(made));
  return fibers_.back().get();
}

void Fibers::resume(Thread& thread) {
  current_ = &thread;
  Fiber& fiber = *thread.fiber;
#if defined(__SANITIZE_THREAD__)
  home_watcher.fiber = __tsan_get_current_fiber();
#endif
  home_watcher.leave(fiber.watcher);
  switch_fiber(home, fiber.place);
  home_watcher.arrive(nullptr);
  if (thread.state == kDone) free_.push_back(std::exchange(thread.fiber, nullptr));
}

void Fibers::wait(int state, const void* place) {
  Thread& thread = *running->current_;
  thread.state = state;
  thread.place = place;
  Fiber& fiber = *thread.fiber;
  fiber.watcher.leave(home_watcher);
  switch_fiber(fiber.place, home);
  fiber.watcher.arrive(nullptr);
}

std::uint32_t Fibers::rank() { return running->current_->rank; }

void Fibers::barrier(const void* place) {
  ++running->current_->barriers;
  wait(kAtBarrier, place);
}

void Fibers::meet_lanes(const void* place) { wait(kAtLanes, place); }

std::uint32_t Fibers::exchange(std::uint32_t mine, std::uint32_t from_rank, const void* place) {
  Thread& thread = *running->current_;
  thread.handed = mine;
  wait(kAtLanes, place);
  if (from_rank / kLanes != thread.rank / kLanes || from_rank >= running->threads_.size()) {
    running->fault_ = fmt::format("thread {} asks lane {} for a number, which is not there", thread.rank, from_rank);
    return mine;
  }
  const std::uint32_t theirs = running->threads_[from_rank].handed;
  wait(kAtLanes, place);  // nobody hands over the next number before all have read this one
  return theirs;
}

/// Lets the lanes [first, end) run until each of them is at a barrier or done.
std::string Fibers::run_lanes(std::uint32_t first, std::uint32_t end, FiberOrder order) {
  for (;;) {
    std::uint32_t meeting = 0;
    for (std::uint32_t i = first; i < end; ++i) {
      Thread& thread = threads_[order == FiberOrder::kForwards ? i : first + (end - 1 - i)];
      if (thread.state != kReady) continue;
      if (thread.fiber == nullptr) thread.fiber = free_fiber();
      resume(thread);
      if (thread.state == kAtLanes) ++meeting;
    }
    if (!fault_.empty()) return std::exchange(fault_, {});
    if (meeting == 0) return {};
    for (std::uint32_t i = first; i < end; ++i) {
      if (threads_[i].state != kAtLanes)
        return fmt::format("lanes meet without thread {}, which {}", i,
                           threads_[i].state == kDone ? "has ended" : "waits at a barrier");
      if (threads_[i].place != threads_[first].place)
        return fmt::format("lanes {} and {} meet at different places", first, i);
      threads_[i].state = kReady;
    }
  }
}

/// A run that failed: stacks that are in use are begun anew.
std::string Fibers::leave(std::string why) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (Thread& thread : threads_) {
    if (thread.fiber == nullptr) continue;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(thread.fiber->memory + page, stack_bytes_);  // variables that were left there
#endif
    begin_fiber(thread.fiber->place, thread.fiber->memory + page, stack_bytes_, &FiberEntry::run);
    free_.push_back(thread.fiber);
  }
  running = nullptr;
  return why;
}

std::string Fibers::run(std::uint32_t threads, FiberOrder order, void (*body)(void*), void* context) {
  threads_.assign(threads, Thread{});
  for (std::uint32_t i = 0; i < threads; ++i) threads_[i].rank = i;
  body_ = body;
  context_ = context;
  running = this;
  const std::uint32_t groups = (threads + kLanes - 1) / kLanes;
  for (;;) {
    for (std::uint32_t turn = 0; turn < groups; ++turn) {
      const std::uint32_t first = (order == FiberOrder::kForwards ? turn : groups - 1 - turn) * kLanes;
      if (std::string why = run_lanes(first, std::min(first + kLanes, threads), order); !why.empty())
        return leave(std::move(why));
    }
    const Thread& one = threads_[0];
    bool waits = false;
    for (Thread& other : threads_) {
      if (other.state != one.state) {
        const Thread& ended = one.state == kDone ? one : other;
        const Thread& waiting = one.state == kDone ? other : one;
        return leave(fmt::format("thread {} has ended after {} barriers while thread {} waits at its barrier {}",
                                 ended.rank, ended.barriers, waiting.rank, waiting.barriers));
      }
      if (other.place != one.place)
        return leave(
            fmt::format("threads {} and {} wait at different barriers (their {})", one.rank, other.rank, one.barriers));
      waits = other.state == kAtBarrier;
    }
    if (!waits) break;
    for (Thread& thread : threads_) thread.state = kReady;
  }
  running = nullptr;
  return {};
}

}  // namespace weft::test
