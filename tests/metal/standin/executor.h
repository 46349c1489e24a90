// Executor: carries committed command buffers out, each queue's in their order, one at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "tests/metal/standin/command.h"

namespace weft::standin {

class Executor {
 public:
  Executor();

  void add(Ref<CommandBuffer> buffer);
  /// Returns when the buffer is done.
  void wait(const CommandBuffer& buffer);

 private:
  void serve();

  std::mutex mutex_;  // of the list
  std::condition_variable more_, done_;
  std::deque<Ref<CommandBuffer>> pending_;  // by time of commit
  std::mutex gpu_;                          // one command buffer at a time
};

/// The process's.
Executor& executor();

}  // namespace weft::standin
