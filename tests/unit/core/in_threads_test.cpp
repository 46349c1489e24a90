// in_threads: every action once, whatever it takes.
#include "src/core/in_threads.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

namespace weft::test {
namespace {

using namespace std::chrono_literals;

/// How often each of so many actions was run, and by which threads.
struct Seen {
  std::vector<int> times;
  std::set<std::thread::id> threads;

  template <typename Run>
  Seen(std::size_t count, std::chrono::milliseconds each, Run&& run) : times(count) {
    std::mutex mutex;
    run(count, [&](std::size_t i) {
      std::this_thread::sleep_for(each);
      const std::lock_guard lock(mutex);
      ++times[i];
      threads.insert(std::this_thread::get_id());
    });
  }
};

const auto at_once = [](std::size_t count, const auto& action) { in_threads(count, action); };
const auto if_long = [](std::size_t count, const auto& action) { in_threads_if_long(count, action); };

TEST(InThreads, EveryActionOnce) {
  for (const std::size_t count : {0U, 1U, 7U, 500U}) {
    const std::vector<int> once(count, 1);
    EXPECT_EQ(Seen(count, 0ms, at_once).times, once);
    EXPECT_EQ(Seen(count, 0ms, if_long).times, once);
  }
  EXPECT_EQ(Seen(12, 5ms, if_long).times, std::vector<int>(12, 1));
}

TEST(InThreads, LongActionsShareTheMachine) {
  const std::size_t wanted = std::min<std::size_t>(machine_threads(), 2);
  EXPECT_GE(Seen(12, 5ms, at_once).threads.size(), wanted);
  EXPECT_GE(Seen(12, 5ms, if_long).threads.size(), wanted);
}

}  // namespace
}  // namespace weft::test
