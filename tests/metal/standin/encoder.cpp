// Encoding, with what Metal's validation looks at.
#include "tests/metal/standin/encoder.h"

#include <cstring>

namespace weft::standin {
namespace {

constexpr UInteger kMostBytes = 4096, kOffsetAlignment = 4, kThreadgroupAlignment = 16;

void set_pipeline(void* self, Selector, void* pipeline) {
  self_of<Encoder>(self).set_pipeline(
      argument<Pipeline>(pipeline, kMTLComputePipelineState, "setComputePipelineState:"));
}
void set_buffer(void* self, Selector, void* buffer, UInteger offset, UInteger index) {
  Buffer* const given =
      buffer == nullptr ? nullptr : &argument<Buffer>(buffer, kMTLBuffer, "setBuffer:offset:atIndex:");
  self_of<Encoder>(self).set_buffer(given, offset, index);
}
void set_bytes(void* self, Selector, const void* bytes, UInteger length, UInteger index) {
  self_of<Encoder>(self).set_bytes(bytes, length, index);
}
void set_threadgroup_memory(void* self, Selector, UInteger length, UInteger index) {
  self_of<Encoder>(self).set_threadgroup_memory(length, index);
}
void dispatch(void* self, Selector, Size groups, Size threads) { self_of<Encoder>(self).dispatch(groups, threads); }
void end(void* self, Selector) { self_of<Encoder>(self).end(); }

}  // namespace

void Encoder::check_open(const char* message) const {
  require(!ended_, "{} after endEncoding", message);
  require(buffer_->writable(), "{} after commit", message);
}

void Encoder::set_pipeline(Pipeline& pipeline) {
  check_open("setComputePipelineState:");
  pipeline_ = Ref<Pipeline>(pipeline);
}

void Encoder::set_buffer(Buffer* buffer, UInteger offset, UInteger index) {
  check_open("setBuffer:offset:atIndex:");
  require(index < kIndices, "setBuffer:offset:atIndex: {}, wanted below {}", index, kIndices);
  if (buffer == nullptr) {
    bound_[index] = {};
    return;
  }
  require(offset < buffer->length(), "setBuffer:offset:atIndex: {}: offset {} in a buffer of {} bytes", index, offset,
          buffer->length());
  require(offset % kOffsetAlignment == 0, "setBuffer:offset:atIndex: {}: offset {} is no multiple of {}", index, offset,
          kOffsetAlignment);
  bound_[index] = {Ref<Buffer>(*buffer), offset, 0, {}};
}

void Encoder::set_bytes(const void* bytes, UInteger length, UInteger index) {
  check_open("setBytes:length:atIndex:");
  require(index < kIndices, "setBytes:length:atIndex: {}, wanted below {}", index, kIndices);
  require(bytes != nullptr, "setBytes:length:atIndex: {}: no bytes", index);
  require(length > 0 && length <= kMostBytes, "setBytes:length:atIndex: {}: {} bytes, wanted 1 to {}", index, length,
          kMostBytes);
  Bound& bound = bound_[index];
  bound = {{}, 0, length, {}};
  bound.bytes.resize((length + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(bound.bytes.data(), bytes, length);
}

void Encoder::set_threadgroup_memory(UInteger length, UInteger index) {
  check_open("setThreadgroupMemoryLength:atIndex:");
  require(index < kIndices, "setThreadgroupMemoryLength:atIndex: {}, wanted below {}", index, kIndices);
  require(length > 0 && length % kThreadgroupAlignment == 0,
          "setThreadgroupMemoryLength:atIndex: {}: {} bytes, wanted a multiple of {}", index, length,
          kThreadgroupAlignment);
  threadgroup_lengths_[index] = length;
}

Bound Encoder::bound_for(const KernelCode& kernel, std::size_t parameter) const {
  const Parameter& it = kernel.signature.parameters[parameter];
  const Bound& bound = bound_[it.index];
  const auto place = [&] {
    return fmt::format("kernel {}: parameter {} at buffer index {}", kernel.signature.kernel, it.name, it.index);
  };
  if (!bound.present()) fail("{}: nothing is bound", place());
  if (bound.room() < kernel.sizes[parameter])
    fail("{}: {} bytes are bound, {} wanted", place(), bound.room(), kernel.sizes[parameter]);
  // Metal asks no more of constants than of device memory on Apple silicon.
  if (it.kind == Parameter::Kind::kBuffer && bound.offset % kernel.alignments[parameter] != 0)
    fail("{}: offset {}, wanted a multiple of {}", place(), bound.offset, kernel.alignments[parameter]);
  return bound;
}

void Encoder::dispatch(Size groups, Size threads) {
  check_open("dispatchThreadgroups:threadsPerThreadgroup:");
  require(static_cast<bool>(pipeline_), "dispatchThreadgroups:threadsPerThreadgroup: without a pipeline");
  const KernelCode& kernel = pipeline_->kernel();
  const std::string& name = kernel.signature.kernel;
  require(groups.volume() > 0, "kernel {}: {} x {} x {} groups", name, groups.width, groups.height, groups.depth);
  require(threads.volume() > 0 && threads.volume() <= pipeline_->most_threads(),
          "kernel {}: {} x {} x {} threads in a group, wanted 1 to {} of them", name, threads.width, threads.height,
          threads.depth, pipeline_->most_threads());
  Dispatch made{pipeline_, {}, {}, groups, threads};
  UInteger memory = kernel.threadgroup_bytes();
  for (std::size_t i = 0; i < kernel.signature.parameters.size(); ++i) {
    const Parameter& parameter = kernel.signature.parameters[i];
    Bound bound;
    UInteger length = 0;
    if (parameter.kind == Parameter::Kind::kThreadgroup) {
      length = threadgroup_lengths_[parameter.index];
      require(length > 0, "kernel {}: threadgroup memory {} has no length", name, parameter.index);
      memory += length;
    } else if (parameter.kind != Parameter::Kind::kPosition) {
      bound = bound_for(kernel, i);
    }
    made.bound.push_back(std::move(bound));
    made.threadgroup_lengths.push_back(length);
  }
  require(memory <= kMostThreadgroupBytes, "kernel {}: {} bytes of threadgroup memory, the most is {}", name, memory,
          kMostThreadgroupBytes);
  buffer_->add(std::move(made), concurrent_);
}

void Encoder::end() {
  check_open("endEncoding");
  ended_ = true;
  buffer_->end_encoder();
  pipeline_ = {};
  bound_ = {};
}

void Encoder::dispose() {
  require(ended_, "an encoder is released without endEncoding");
  buffer_ = {};
}

void add_encoder_methods() {
  add_methods(kMTLComputeCommandEncoder,
              {method("setComputePipelineState:", set_pipeline), method("setBuffer:offset:atIndex:", set_buffer),
               method("setBytes:length:atIndex:", set_bytes),
               method("setThreadgroupMemoryLength:atIndex:", set_threadgroup_memory),
               method("dispatchThreadgroups:threadsPerThreadgroup:", dispatch), method("endEncoding", end),
               method("setLabel:", set_label)});
}

}  // namespace weft::standin
