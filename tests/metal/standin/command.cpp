// Writing, committing, waiting.
#include "tests/metal/standin/command.h"

#include <memory>
#include <set>

#include "tests/metal/standin/counts.h"
#include "tests/metal/standin/encoder.h"
#include "tests/metal/standin/executor.h"
#include "tests/metal/standin/pool.h"
#include "tests/metal/standin/settings.h"

namespace weft::standin {
namespace {

constexpr Integer kInternalError = 1;  // MTLCommandBufferErrorInternal

void* new_command_buffer(void* self, Selector) {
  ++counts().command_buffers;
  return static_cast<Object*>(autoreleased(new CommandBuffer(self_of<Queue>(self))));
}

Object* encoder_of(CommandBuffer& buffer, bool concurrent) {
  buffer.begin_encoder();
  ++counts().encoders;
  return autoreleased(new Encoder(buffer, concurrent));
}
void* new_encoder(void* self, Selector) { return encoder_of(self_of<CommandBuffer>(self), false); }
void* new_encoder_of_type(void* self, Selector, UInteger type) {
  require(type <= 1, "computeCommandEncoderWithDispatchType: {}, wanted 0 (serial) or 1 (concurrent)", type);
  return encoder_of(self_of<CommandBuffer>(self), type == 1);
}

void commit(void* self, Selector) { self_of<CommandBuffer>(self).commit(); }
void wait(void* self, Selector) { self_of<CommandBuffer>(self).wait(); }
UInteger status(void* self, Selector) { return self_of<CommandBuffer>(self).status(); }
void* error(void* self, Selector) {
  const auto& buffer = self_of<CommandBuffer>(self);
  if (buffer.status() != CommandBuffer::kError) return nullptr;
  return static_cast<Object*>(autoreleased(new Error(kInternalError, buffer.error())));
}

}  // namespace

void CommandBuffer::begin_encoder() {
  require(writable(), "computeCommandEncoder of a command buffer that is committed");
  require(!open_, "computeCommandEncoder while an encoder of the command buffer has not ended");
  open_ = true;
  encoder_start_ = work_.size();
}

void CommandBuffer::add(Dispatch dispatch, bool concurrent) {
  Work work;
  for (const Bound& bound : dispatch.bound)
    if (bound.buffer) work.buffers.push_back(bound.buffer);
  work.run = [it = std::make_shared<Dispatch>(std::move(dispatch))] {
    it->run();
    ++counts().dispatches;
  };
  // What may run in any order runs in the order that nobody thinks of.
  const auto at = concurrent ? work_.begin() + static_cast<std::ptrdiff_t>(encoder_start_) : work_.end();
  work_.insert(at, std::move(work));
}

void CommandBuffer::add_between_encoders(std::function<void()> work, std::vector<Ref<Buffer>> buffers) {
  require(writable(), "work for a command buffer that is committed");
  require(!open_, "work of its own for a command buffer while an encoder has not ended");
  work_.push_back({std::move(work), std::move(buffers)});
}

void CommandBuffer::commit() {
  require(writable(), "commit of a command buffer that is committed already");
  require(!open_, "commit before endEncoding");
  status_ = kCommitted;
  executor().add(Ref<CommandBuffer>(*this));
}

void CommandBuffer::wait() {
  require(!writable(), "waitUntilCompleted before commit: it never returns");
  executor().wait(*this);
}

void CommandBuffer::execute() {
  status_ = kScheduled;
  const bool fails = strikes(Fault::kCommand);
  // One that fails has done a part of its work.
  const std::size_t done = fails ? work_.size() / 2 : work_.size();
  for (std::size_t i = 0; i < done; ++i) work_[i].run();
  std::set<const Buffer*> written;
  for (const Work& work : work_)
    for (const Ref<Buffer>& buffer : work.buffers) written.insert(buffer.get());
  for (const Buffer* buffer : written) buffer->check_guards("a command buffer");
  work_.clear();
  if (fails) error_ = "Caused GPU Hang Error (00000003:kIOGPUCommandBufferCallbackErrorHang)";
  status_ = fails ? kError : kCompleted;
}

void CommandBuffer::dispose() {
  require(!writable(), "a command buffer is released without commit");
  require(status_ >= kCompleted, "a command buffer is gone before it is done");
  queue_ = {};
}

void* new_queue(void*, Selector) { return strikes(Fault::kQueue) ? nullptr : static_cast<Object*>(new Queue); }

void add_command_methods() {
  add_methods(kMTLCommandQueue, {method("commandBuffer", new_command_buffer), method("setLabel:", set_label)});
  add_methods(kMTLCommandBuffer, {method("computeCommandEncoder", new_encoder),
                                  method("computeCommandEncoderWithDispatchType:", new_encoder_of_type),
                                  method("commit", commit), method("waitUntilCompleted", wait),
                                  method("status", status), method("error", error), method("setLabel:", set_label)});
}

}  // namespace weft::standin
