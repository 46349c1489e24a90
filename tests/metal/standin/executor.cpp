// When committed work is done: at the last moment, or on a thread of its own.
#include "tests/metal/standin/executor.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/metal/standin/settings.h"

namespace weft::standin {

Executor::Executor() {
  if (execution() == Execution::kOnThread) std::thread([this] { serve(); }).detach();
}

void Executor::add(Ref<CommandBuffer> buffer) {
  const std::lock_guard lock(mutex_);
  pending_.push_back(std::move(buffer));
  more_.notify_one();
}

void Executor::wait(const CommandBuffer& buffer) {
  if (execution() == Execution::kOnThread) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return buffer.status() >= CommandBuffer::kCompleted; });
    return;
  }
  // Those of the same queue that were committed before come first.
  const std::lock_guard gpu(gpu_);
  while (buffer.status() < CommandBuffer::kCompleted) {
    Ref<CommandBuffer> next;
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(pending_.begin(), pending_.end(),
                                      [&](const Ref<CommandBuffer>& each) { return each->queue() == buffer.queue(); });
      require(found != pending_.end(), "a committed command buffer is lost");
      next = std::move(*found);
      pending_.erase(found);
    }
    next->execute();
  }
}

void Executor::serve() {
  for (;;) {
    Ref<CommandBuffer> next;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return !pending_.empty(); });
      next = std::move(pending_.front());
      pending_.pop_front();
    }
    // The host goes on meanwhile.
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    next->execute();
    const std::lock_guard lock(mutex_);
    next = {};
    done_.notify_all();
  }
}

Executor& executor() {
  static auto* const one = new Executor;
  return *one;
}

}  // namespace weft::standin
