// Writing, committing and waiting for command buffers.
#include "src/backend/metal/flight.h"

#include <fmt/format.h>

#include <utility>

#include "src/core/try.h"

namespace weft::metal {

Result<Command> Command::begin(Id queue, Id label, Order order) {
  // Autoreleased, as encoders are: a count more keeps it beyond the pool of a call.
  Owned buffer = Owned::shared(objc().command_buffer(queue));
  if (!buffer) return Status{StatusCode::kDeviceFault, "metal: the queue gives no command buffer"};
  objc().set_label(buffer.get(), label);
  return Command(std::move(buffer), order);
}

Command::~Command() { end_encoder(); }  // an encoder may not go away without its end

Id Command::encoder() {
  constexpr UInteger kConcurrent = 1;  // MTLDispatchType
  if (!encoder_) {
    encoder_ = Owned::shared(order_ == Order::kInTurn ? objc().compute_encoder(buffer_.get())
                                                      : objc().compute_encoder_of(buffer_.get(), kConcurrent));
    failed_ = failed_ || !encoder_;
  }
  return encoder_.get();
}

Id Command::between_encoders() {
  end_encoder();
  return buffer_.get();
}

void Command::end_encoder() {
  if (const Owned ended = std::exchange(encoder_, Owned())) objc().end_encoding(ended.get());
}

Owned Command::commit() {
  end_encoder();
  if (failed_) return {};
  objc().commit(buffer_.get());
  return std::move(buffer_);
}

Flight::~Flight() {
  for (const Owned& command : commands_) objc().wait(command.get());
}

Status Flight::add(Command command) {
  Owned committed = command.commit();
  if (!committed)
    return {StatusCode::kDeviceFault, fmt::format("metal: '{}': a command buffer gives no compute encoder", title_)};
  commands_.push_back(std::move(committed));
  return commands_.size() < kMost ? Status{} : wait_for_oldest();
}

Status Flight::land() {
  Status first;
  while (!commands_.empty()) {
    const Status next = wait_for_oldest();
    if (first.ok()) first = next;
  }
  return first;
}

Status Flight::wait_for_oldest() {
  constexpr UInteger kCompleted = 4, kError = 5;  // MTLCommandBufferStatus
  const Owned command = std::move(commands_.front());
  commands_.pop_front();
  objc().wait(command.get());
  const UInteger status = objc().status(command.get());
  if (status == kCompleted) return {};
  if (status != kError)
    return {StatusCode::kDeviceFault,
            fmt::format("metal: '{}' was waited for and is not done (status {})", title_, status)};
  return {StatusCode::kDeviceFault,
          fmt::format("metal: '{}' failed: {}", title_, objc().error_text(objc().error(command.get())))};
}

}  // namespace weft::metal
