// Workers wait for a round in a short spin and then asleep; the caller waits for them the same way.
#include "src/backend/native_cpu/team.h"

#include <pthread.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "src/backend/native_cpu/subnormals.h"
#include "src/io/read_file.h"
#ifdef __linux__
#include <sched.h>
#endif

namespace weft::native_cpu {
namespace {

constexpr int kSpins = 10000;  // some tens of microseconds: the longest gap between two products of a step

std::atomic<std::uint64_t> forks{0};

void count_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(registered);
}

/// Waits until `value` is no longer `old`.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old, int spins) {
  for (int spin = 0; spin < spins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

int physical_cores() {
#ifdef __linux__
  // Threads of one core share what multiplies: the cores count, told apart by their lists of sibling threads.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      const auto siblings =
          read_file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list", 4096);
      cores.insert(siblings.ok() ? *siblings : std::to_string(cpu));
    }
    if (!cores.empty()) return static_cast<int>(cores.size());
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Team::~Team() {
  if (!shared_) return;
  if (forks != forks_) {
    // The threads are the parent's: nothing here can be joined, and their handles may not be destroyed.
    static_cast<void>(shared_.release());
    return;
  }
  shared_->closing = true;
  ++shared_->round;
  shared_->round.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

Status Team::usable() const {
  if (!shared_ || forks == forks_) return {};
  return {StatusCode::kFailedPrecondition,
          "native_cpu: the process was forked after this session trained, and its worker threads stayed with the "
          "parent; mount the model again in the child"};
}

bool Team::start() {
  if (shared_) return true;
  count_forks();
  // Threads that outnumber the cores would only spin in each other's way.
  auto shared = std::make_unique<Shared>(threads_ <= physical_cores() ? kSpins : 0);
  try {
    shared->workers.reserve(static_cast<std::size_t>(threads_ - 1));
    for (int i = 1; i < threads_; ++i) shared->workers.emplace_back([&shared = *shared] { shared.work(); });
  } catch (const std::system_error&) {
    if (shared->workers.empty()) {
      threads_ = 1;
      return false;
    }
  }
  forks_ = forks;
  shared_ = std::move(shared);
  return true;
}

void Team::Shared::take_pieces(std::uint32_t in_round) {
  std::uint64_t ticket = tickets.load(std::memory_order_acquire);
  while (ticket >> 32 == in_round && static_cast<std::uint32_t>(ticket) != 0) {
    if (!tickets.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acquire)) continue;
    job.call(job.context, job.pieces - static_cast<std::int64_t>(static_cast<std::uint32_t>(ticket)));
    if (undone.fetch_sub(1, std::memory_order_acq_rel) == 1) undone.notify_one();
    ticket = tickets.load(std::memory_order_acquire);
  }
}

void Team::Shared::work() {
  const FlushSubnormals flush;
  for (std::uint32_t seen = 0;;) {
    await_change(round, seen, spins);
    seen = round.load(std::memory_order_acquire);
    if (closing) return;
    take_pieces(seen);
  }
}

void Team::Shared::keep_off_caller() {
#ifdef __linux__
  const int own = sched_getcpu();
  if (own < 0 || own == kept_off) return;
  kept_off = own;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (static_cast<std::size_t>(CPU_COUNT(&allowed)) > workers.size()) CPU_CLR(own, &allowed);  // enough are left
  // Where it is refused the kernel's choice stands.
  for (std::thread& worker : workers) pthread_setaffinity_np(worker.native_handle(), sizeof allowed, &allowed);
#endif
}

void Team::run_job(const Job& job) {
  constexpr std::uint32_t kJobsBetweenLooks = 64;
  Shared& shared = *shared_;
  const std::uint32_t round = shared.round.load(std::memory_order_relaxed) + 1;
  if (round % kJobsBetweenLooks == 1) shared.keep_off_caller();
  shared.job = job;
  shared.undone.store(static_cast<std::uint32_t>(job.pieces), std::memory_order_relaxed);
  shared.tickets.store(std::uint64_t{round} << 32 | static_cast<std::uint64_t>(job.pieces), std::memory_order_release);
  shared.round.store(round, std::memory_order_release);
  shared.round.notify_all();
  shared.take_pieces(round);
  for (std::uint32_t left; (left = shared.undone.load(std::memory_order_acquire)) != 0;)
    await_change(shared.undone, left, shared.spins);
}

}  // namespace weft::native_cpu
