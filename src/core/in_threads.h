// in_threads: independent pieces of host work, one thread's after the other's.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace weft {

/// As many threads as the machine has.
inline std::size_t machine_threads() { return std::max(std::thread::hardware_concurrency(), 1u); }

/// action(i) for each i below count, by as many threads as the machine has, or as can be had. Actions must not throw.
template <typename Action>
void in_threads(std::size_t count, const Action& action) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) action(i);
  };
  const std::size_t threads = std::min(count, machine_threads());
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {  // fewer threads do it too
  }
  work();
  for (std::thread& other : others) other.join();
}

/// The same for actions that may take less time than starting a thread: this one begins, and others are started once
/// what is left looks worth it.
template <typename Action>
void in_threads_if_long(std::size_t count, const Action& action) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kWorthAll(1000);  // some fifteen threads are started in 300
  const Clock::time_point start = Clock::now();
  std::size_t done = 0;
  for (; done < count; action(done++))
    if (std::has_single_bit(done) && (Clock::now() - start) / done * (count - done) > kWorthAll) break;
  in_threads(count - done, [&](std::size_t i) { action(done + i); });
}

}  // namespace weft
