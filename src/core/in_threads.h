// in_threads: independent pieces of host work, one thread's after the other's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace weft {

/// action(i) for each i below count, by as many threads as the machine has, or as can be had. Actions must not throw.
template <typename Action>
void in_threads(std::size_t count, const Action& action) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) action(i);
  };
  const std::size_t threads = std::min<std::size_t>(count, std::max(std::thread::hardware_concurrency(), 1u));
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {  // fewer threads do it too
  }
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace weft
