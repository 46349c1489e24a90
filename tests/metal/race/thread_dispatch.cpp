// Dispatch on host threads, one for each thread of a GPU and all groups at once, for ThreadSanitizer to watch.
#include <pthread.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "tests/metal/emulate/barrier_sites.h"
#include "tests/metal/emulate/dispatch.h"
#include "tests/metal/emulate/emulator.h"

namespace weft::test {
namespace {

/// What the threads of a group share. The sanitizer knows the barriers of POSIX threads. There are two that take turns:
/// with one, who wakes up late would be taken to have seen what others did on their way to the next meeting.
struct Group {
  explicit Group(std::uint32_t threads) : scratch(kMostScratch) {
    for (pthread_barrier_t& barrier : barriers) pthread_barrier_init(&barrier, nullptr, threads);
  }
  ~Group() {
    for (pthread_barrier_t& barrier : barriers) pthread_barrier_destroy(&barrier);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  std::array<pthread_barrier_t, 2> barriers;
  std::vector<float> scratch;
};

thread_local Here here_now{};
thread_local Group* group_now = nullptr;
thread_local std::size_t meetings = 0;

}  // namespace

Here here() { return here_now; }

void meet(const char* file, int line) {
  if (come_to(file, line) != nullptr) pthread_barrier_wait(&group_now->barriers[meetings++ % 2]);
}

float* group_scratch(std::size_t) { return group_now->scratch.data(); }

/// The order is the scheduler's.
std::string dispatch(LaunchShape shape, bool, const std::function<void()>& kernel) {
  std::vector<std::unique_ptr<Group>> groups;
  for (std::uint32_t g = 0; g < shape.groups; ++g) groups.push_back(std::make_unique<Group>(shape.threads));
  std::vector<std::thread> threads;
  for (std::uint32_t g = 0; g < shape.groups; ++g) {
    for (std::uint32_t rank = 0; rank < shape.threads; ++rank) {
      threads.emplace_back([&, g, rank] {
        here_now = {rank, shape.threads, g, shape.groups};
        group_now = groups[g].get();
        kernel();
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  return "";
}

}  // namespace weft::test
