// DeviceMemory: reserving, copying in and out, and finding operands.
#include "src/backend/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/backend/cuda/status.h"
#include "src/backend/device_buffers.h"
#include "src/core/try.h"

namespace weft::cuda {
namespace {

using device_buffers::kElementBytes;

Status exhausted(const Buffer& buffer, std::string_view why) {
  return {StatusCode::kResourceExhausted, fmt::format("cuda: buffer '{}' of {} elements in {} slots: {}", buffer.name,
                                                      buffer.elements, buffer.slots, why)};
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Status DeviceMemory::open(int device, Precision precision) {
  device_ = device;
  precision_ = precision;
  WEFT_RETURN_IF_ERROR(to_status(cudaSetDevice(device), fmt::format("using GPU {}", device)));
  return to_status(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

Status DeviceMemory::wait(std::string_view what) const { return to_status(cudaStreamSynchronize(stream_), what); }

Result<DeviceMemory::Block> DeviceMemory::make_block(const Buffer& buffer) const {
  WEFT_ASSIGN_OR_RETURN(const std::size_t bytes, device_buffers::bytes_of("cuda", buffer));
  void* memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, std::max(bytes, kElementBytes));
      error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // not a fault: the device goes on as before
    std::size_t free = 0, total = 0;
    WEFT_RETURN_IF_ERROR(to_status(cudaMemGetInfo(&free, &total), "asking for free memory"));
    return exhausted(buffer, fmt::format("{} bytes wanted, the GPU has {} of {} free", bytes, free, total));
  } else {
    WEFT_RETURN_IF_ERROR(to_status(error, fmt::format("making buffer '{}'", buffer.name)));
  }
  Block block{DevicePointer(static_cast<std::byte*>(memory)), buffer.element, buffer.role, buffer.elements,
              buffer.slots};
  WEFT_RETURN_IF_ERROR(to_status(cudaMemsetAsync(memory, 0, bytes, stream_), "zeroing a buffer"));
  return block;
}

Status DeviceMemory::reserve(const BufferTable& buffers) {
  // Everything new is made first and put in place last, so that a failure changes nothing.
  std::vector<std::pair<std::size_t, Block>> made;
  for (BufferId id = 0; id < buffers.size(); ++id) {
    const Buffer& buffer = buffers[id];
    if (buffer.role == Role::kArgument) continue;
    const Block* before = block_of(id);
    if (before != nullptr && before->elements == buffer.elements && before->slots == buffer.slots) continue;
    Result<Block> block = make_block(buffer);
    if (block.status().code() == StatusCode::kResourceExhausted)
      return {StatusCode::kResourceExhausted,
              fmt::format("{}; {}", block.status().message(), device_buffers::needs(buffers))};
    WEFT_RETURN_IF_ERROR(block.status());
    made.emplace_back(static_cast<std::size_t>(id), *std::move(block));
  }
  WEFT_RETURN_IF_ERROR(wait("zeroing new buffers"));
  blocks_.resize(std::max(blocks_.size(), static_cast<std::size_t>(buffers.size())));
  for (auto& [index, block] : made) blocks_[index] = std::move(block);
  buffers_ = buffers;
  return {};
}

const DeviceMemory::Block* DeviceMemory::block_of(BufferId buffer) const {
  const auto index = static_cast<std::size_t>(buffer);
  return buffer >= 0 && index < blocks_.size() && blocks_[index].bytes != nullptr ? &blocks_[index] : nullptr;
}

Status DeviceMemory::write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) {
  WEFT_RETURN_IF_ERROR(device_buffers::check_access("cuda", buffers_, buffer, slot, bytes));
  const Buffer& it = buffers_[buffer];
  const std::size_t count = bytes / device_buffers::host_bytes(it.element);
  std::vector<std::uint32_t> sent(it.element == Element::kStorage ? 0 : count);  // storage travels as it is
  if (it.element != Element::kStorage) {
    WEFT_RETURN_IF_ERROR(device_buffers::to_device("cuda", it, data, count, sent.data()));
    data = sent.data();
  }
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(start_of(buffer, slot), data, count * kElementBytes, cudaMemcpyHostToDevice, stream_),
                "writing a buffer"));
  return wait("writing a buffer");
}

Status DeviceMemory::read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const {
  WEFT_RETURN_IF_ERROR(device_buffers::check_access("cuda", buffers_, buffer, slot, bytes));
  const Element element = buffers_[buffer].element;
  const std::size_t count = bytes / device_buffers::host_bytes(element);
  std::vector<std::uint32_t> seen(element == Element::kStorage ? 0 : count);
  void* const to = element == Element::kStorage ? data : seen.data();
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(to, start_of(buffer, slot), count * kElementBytes, cudaMemcpyDeviceToHost, stream_),
                "reading a buffer"));
  WEFT_RETURN_IF_ERROR(wait("reading a buffer"));
  if (element != Element::kStorage) device_buffers::to_host(element, seen.data(), count, data);
  return {};
}

std::byte* DeviceMemory::start_of(BufferId buffer, std::int64_t slot) const {
  const Block& block = blocks_[static_cast<std::size_t>(buffer)];
  return block.bytes.get() + static_cast<std::size_t>(slot * block.elements) * kElementBytes;
}

Status DeviceMemory::reserve_arguments(const Program& program) {
  const auto elements = [&](BufferId argument) {
    return static_cast<std::size_t>(device_buffers::argument_elements(program, argument));
  };
  WEFT_RETURN_IF_ERROR(input_.reserve(elements(BufferTable::kInput), "the input of a call"));
  return target_.reserve(elements(BufferTable::kTarget), "the target of a call");
}

Status DeviceMemory::stage(const Program& program, const RunArguments& arguments) {
  const auto copy = [&](const void* from, BufferId argument, const DeviceArray<float>& to) {
    const std::int64_t elements = device_buffers::argument_elements(program, argument);
    if (elements == 0) return cudaSuccess;
    return cudaMemcpyAsync(to.data(), from, static_cast<std::size_t>(elements) * sizeof(float), cudaMemcpyHostToDevice,
                           stream_);
  };
  WEFT_RETURN_IF_ERROR(to_status(copy(arguments.input, BufferTable::kInput, input_), "copying the input"));
  return to_status(copy(arguments.target, BufferTable::kTarget, target_), "copying the target");
}

Result<std::shared_ptr<const DeviceArray<std::byte>>> DeviceMemory::scratch(std::size_t bytes) {
  if (scratch_ == nullptr || scratch_->size() < bytes) {
    auto made = std::make_shared<DeviceArray<std::byte>>();
    WEFT_RETURN_IF_ERROR(made->reserve(bytes, "scratch memory of products"));
    scratch_ = std::move(made);
  }
  return scratch_;
}

Result<Blas*> DeviceMemory::blas() {
  if (!blas_looked_for_) {
    Result<std::unique_ptr<Blas>> opened = Blas::open();
    const bool missing = opened.status().code() == StatusCode::kNotFound;
    if (!opened.ok() && !(missing && precision_ == Precision::kFloat32)) return opened.status();
    blas_looked_for_ = true;
    if (opened.ok()) blas_ = *std::move(opened);
  }
  return blas_.get();
}

Role DeviceMemory::role(BufferId buffer) const {
  const Block* block = block_of(buffer);
  return block == nullptr ? Role::kArgument : block->role;
}

std::int64_t DeviceMemory::slots(BufferId buffer) const {
  const Block* block = block_of(buffer);
  return block == nullptr ? 1 : block->slots;
}

std::size_t DeviceMemory::alignment(BufferId buffer) const {
  constexpr std::size_t kMost = 256;  // of what cudaMalloc gives, at least
  const Block* block = block_of(buffer);
  if (block == nullptr || block->slots == 1) return kMost;
  return std::gcd(kMost, static_cast<std::size_t>(block->elements) * kElementBytes);
}

std::byte* DeviceMemory::place(Operand operand, std::uint64_t clock) const {
  if (!operand.present()) return nullptr;
  if (operand.buffer == BufferTable::kInput) return reinterpret_cast<std::byte*>(input_.data());
  if (operand.buffer == BufferTable::kTarget) return reinterpret_cast<std::byte*>(target_.data());
  const std::int64_t slots = blocks_[static_cast<std::size_t>(operand.buffer)].slots;
  return start_of(operand.buffer, device_buffers::ring_slot(operand, slots, clock));
}

}  // namespace weft::cuda
