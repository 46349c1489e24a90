// Team: the threads of one session, which take the pieces of a piece of work as they come.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "weft/status.hpp"

namespace weft::native_cpu {

/// The physical cores that this process may run on.
int physical_cores();

/// The caller and `threads` - 1 workers. Workers start at the first piece of work that has more than one piece: a
/// session of small products has none. What a piece computes must not depend on who runs it.
class Team {
 public:
  explicit Team(int threads) : threads_(threads) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  int threads() const { return threads_; }

  /// Errors: kFailedPrecondition where the process was forked since the workers started: they stayed with the parent.
  Status usable() const;

  /// Runs task(0) .. task(pieces - 1), each once, in any order and at once; returns when all are done.
  template <typename Task>
  void run(std::int64_t pieces, Task&& task) {
    if (pieces <= 1 || threads_ <= 1 || !start()) {
      for (std::int64_t piece = 0; piece < pieces; ++piece) task(piece);
      return;
    }
    run_job({[](void* context, std::int64_t piece) { (*static_cast<std::remove_reference_t<Task>*>(context))(piece); },
             &task, pieces});
  }

 private:
  struct Job {
    void (*call)(void* context, std::int64_t piece) = nullptr;
    void* context = nullptr;
    std::int64_t pieces = 0;
  };
  /// What caller and workers share; apart from the team so that a forked child can leave it behind.
  ///
  /// Nobody waits for a worker that has taken no piece: on a loaded machine it may wake long after the job. So it looks
  /// at the job only while it holds a piece, which it takes by the round and the pieces left in one number.
  struct Shared {
    explicit Shared(int spin_count) : spins(spin_count) {}
    Job job;
    std::atomic<std::uint64_t> tickets{0};  // round in the upper half, pieces left to take in the lower
    std::atomic<std::uint32_t> round{0};    // one per job
    std::atomic<std::uint32_t> undone{0};   // pieces
    std::atomic<bool> closing{false};
    const int spins;
    std::vector<std::thread> workers;
    int kept_off = -1;  // the processor that workers may not use
    void take_pieces(std::uint32_t in_round);
    void work();
    /// Lets workers run wherever the caller may but for the processor that it is on. A kernel that packs threads onto
    /// few processors, as some virtual machines' do, would leave two on one, each waiting for the other.
    void keep_off_caller();
  };

  bool start();  // false where no thread can be had: the caller works alone
  void run_job(const Job& job);

  int threads_;
  std::uint64_t forks_ = 0;  // of the process when the workers started
  std::unique_ptr<Shared> shared_;
};

}  // namespace weft::native_cpu
