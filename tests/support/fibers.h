// Fibers: the threads of one group of a GPU, by turns on one thread of the host, from barrier to barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::test {

/// Who comes first between two barriers. Both orders are legal, so a body that gives different numbers lacks a barrier.
enum class FiberOrder { kForwards, kBackwards };

/// Stacks are kept from run to run. Used by one thread at a time.
class Fibers {
 public:
  static constexpr std::uint32_t kLanes = 32;  // threads that meet_lanes lets meet: those of equal rank / kLanes

  explicit Fibers(std::size_t stack_bytes = 64 << 10);
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Runs `body` once for each thread. Empty, or in what way not all threads met at a barrier; then the threads are
  /// left where they are and nothing of their stacks is destroyed.
  std::string run(std::uint32_t threads, FiberOrder order, void (*body)(void*), void* context);

  // For the body, about the thread that calls.

  static std::uint32_t rank();
  /// Waits for all threads. `place`, where given, must be the same for all of them.
  static void barrier(const void* place = nullptr);
  /// Waits for the lanes of the same group of kLanes.
  static void meet_lanes(const void* place = nullptr);
  /// What lane `rank` of the same group hands over at a meeting of all of them. Reading from a lane that is not there
  /// is an error of the run.
  static std::uint32_t exchange(std::uint32_t mine, std::uint32_t from_rank, const void* place = nullptr);

 private:
  struct Fiber;
  struct Thread;

  Fiber* free_fiber();
  void resume(Thread& thread);
  std::string run_lanes(std::uint32_t first, std::uint32_t end, FiberOrder order);
  std::string leave(std::string why);
  static void wait(int state, const void* place);

  std::size_t stack_bytes_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;  // those whose stack is not in use, last used last
  std::vector<Thread> threads_;
  Thread* current_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  std::string fault_;

  friend struct FiberEntry;
};

}  // namespace weft::test
