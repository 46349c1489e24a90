// Queue, CommandBuffer: what is to be done on the GPU, and when it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/metal/standin/dispatch.h"

namespace weft::standin {

class Queue final : public Object {
 public:
  Queue() : Object(kMTLCommandQueue) {}
};

class CommandBuffer final : public Object {
 public:
  enum Status : UInteger { kNotEnqueued = 0, kCommitted = 2, kScheduled = 3, kCompleted = 4, kError = 5 };

  explicit CommandBuffer(Queue& queue) : Object(kMTLCommandBuffer), queue_(queue) {}

  // While it is written.
  void begin_encoder();
  void end_encoder() { open_ = false; }
  void add(Dispatch dispatch, bool concurrent);
  /// Work that has an encoder of its own, and the buffers that it may touch.
  void add_between_encoders(std::function<void()> work, std::vector<Ref<Buffer>> buffers);
  bool writable() const { return status_ == kNotEnqueued; }

  /// Hands it to the executor.
  void commit();
  /// Returns when it is done.
  void wait();

  UInteger status() const { return status_; }
  const std::string& error() const { return error_; }
  const Queue* queue() const { return queue_.get(); }

  /// Does what was written; by the executor alone.
  void execute();

 private:
  void dispose() override;

  Ref<Queue> queue_;
  struct Work {
    std::function<void()> run;
    std::vector<Ref<Buffer>> buffers;
  };
  std::vector<Work> work_;         // in an order in which it may be done
  std::size_t encoder_start_ = 0;  // in work_, of the encoder's first
  bool open_ = false;
  std::atomic<UInteger> status_{kNotEnqueued};
  std::string error_;
};

/// -[MTLDevice newCommandQueue]
void* new_queue(void* self, Selector);

}  // namespace weft::standin
