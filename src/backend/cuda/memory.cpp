// DeviceMemory: reserving, copying in and out, and finding operands.
#include "src/backend/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "src/backend/cuda/status.h"
#include "src/core/try.h"
#include "src/program/extents.h"

namespace weft::cuda {
namespace {

constexpr std::size_t kElementBytes = 4;

/// Bytes of an element as it travels.
std::size_t host_bytes(Element element) { return element == Element::kStorage ? sizeof(float) : sizeof(double); }

Status exhausted(const Buffer& buffer, std::string_view why) {
  return {StatusCode::kResourceExhausted, fmt::format("cuda: buffer '{}' of {} elements in {} slots: {}", buffer.name,
                                                      buffer.elements, buffer.slots, why)};
}

/// "; all buffers need 123 bytes, most of them 'a' 60, 'b' 40, 'c' 20"
std::string needs(const BufferTable& buffers) {
  constexpr std::size_t kNamed = 3;
  double all = 0.0;  // may be more than 64 bits count
  std::vector<std::pair<double, BufferId>> largest;
  for (BufferId id = 0; id < buffers.size(); ++id) {
    if (buffers[id].role == Role::kArgument) continue;
    const double bytes = static_cast<double>(buffers[id].elements) * static_cast<double>(buffers[id].slots) *
                         static_cast<double>(kElementBytes);
    all += bytes;
    largest.emplace_back(-bytes, id);
  }
  const auto named = static_cast<std::ptrdiff_t>(std::min(kNamed, largest.size()));
  std::partial_sort(largest.begin(), largest.begin() + named, largest.end());
  std::string text = fmt::format("; all buffers need {:.0f} bytes, most of them", all);
  for (std::ptrdiff_t i = 0; i < named; ++i) {
    const auto& [bytes, id] = largest[static_cast<std::size_t>(i)];
    text += fmt::format("{} '{}' {:.0f}", i == 0 ? "" : ",", buffers[id].name, -bytes);
  }
  return text;
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
  if (buffer.elements < 0 || buffer.slots < 1) {
    return Status{StatusCode::kInternal,
                  fmt::format("cuda: buffer '{}' has {} elements in {} slots, wanted at least 0 in 1", buffer.name,
                              buffer.elements, buffer.slots)};
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(kElementBytes);
  if (buffer.elements > kMost / buffer.slots) return exhausted(buffer, "more bytes than 64 bits count");
  const std::size_t bytes = static_cast<std::size_t>(buffer.elements * buffer.slots) * kElementBytes;
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
      return {StatusCode::kResourceExhausted, block.status().message() + needs(buffers)};
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

Result<const DeviceMemory::Block*> DeviceMemory::locate(BufferId buffer, std::int64_t slot, std::size_t bytes) const {
  const Block* block = block_of(buffer);
  if (block == nullptr) return Status{StatusCode::kInternal, fmt::format("cuda: buffer {} has no memory", buffer)};
  const std::size_t element_bytes = host_bytes(block->element);
  if (slot < 0 || slot >= block->slots || bytes % element_bytes != 0 ||
      bytes / element_bytes > static_cast<std::size_t>(block->elements)) {
    return Status{
        StatusCode::kInternal,
        fmt::format("cuda: {} bytes of slot {} of buffer {} wanted, it has {} slots of {} elements of {} bytes", bytes,
                    slot, buffer, block->slots, block->elements, element_bytes)};
  }
  return block;
}

Status DeviceMemory::write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) {
  WEFT_ASSIGN_OR_RETURN(const Block* const block, locate(buffer, slot, bytes));
  std::byte* to = block->bytes.get() + static_cast<std::size_t>(slot * block->elements) * kElementBytes;
  const std::size_t count = bytes / host_bytes(block->element);
  std::vector<float> reals;
  std::vector<std::uint32_t> counters;
  if (block->element == Element::kReal) {
    const auto* from = static_cast<const double*>(data);
    std::transform(from, from + count, std::back_inserter(reals), [](double real) { return static_cast<float>(real); });
    data = reals.data();
  } else if (block->element == Element::kCounter) {
    const auto* from = static_cast<const std::uint64_t*>(data);
    for (std::size_t i = 0; i < count; ++i) {
      if (from[i] > std::numeric_limits<std::uint32_t>::max()) {
        return {StatusCode::kUnsupported,
                fmt::format("cuda: counter {} of buffer {} is {}, this device counts to 2^32-1", i, buffer, from[i])};
      }
      counters.push_back(static_cast<std::uint32_t>(from[i]));
    }
    data = counters.data();
  }
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(to, data, count * kElementBytes, cudaMemcpyHostToDevice, stream_), "writing a buffer"));
  return wait("writing a buffer");
}

Status DeviceMemory::read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) const {
  WEFT_ASSIGN_OR_RETURN(const Block* const block, locate(buffer, slot, bytes));
  const std::byte* from = block->bytes.get() + static_cast<std::size_t>(slot * block->elements) * kElementBytes;
  const std::size_t count = bytes / host_bytes(block->element);
  std::vector<float> reals(block->element == Element::kReal ? count : 0);
  std::vector<std::uint32_t> counters(block->element == Element::kCounter ? count : 0);
  void* to = block->element == Element::kReal      ? reals.data()
             : block->element == Element::kCounter ? static_cast<void*>(counters.data())
                                                   : data;
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(to, from, count * kElementBytes, cudaMemcpyDeviceToHost, stream_), "reading a buffer"));
  WEFT_RETURN_IF_ERROR(wait("reading a buffer"));
  std::copy(reals.begin(), reals.end(), static_cast<double*>(data));
  std::copy(counters.begin(), counters.end(), static_cast<std::uint64_t*>(data));
  return {};
}

Status DeviceMemory::check(const Program& program, const RunArguments& arguments, bool has_arguments) const {
  const auto holds = [&](Operand operand, std::int64_t elements) {
    if (!operand.present()) return true;
    const Block* block = block_of(operand.buffer);
    return block != nullptr && operand.lag >= 0 && elements <= block->elements;
  };
  const auto holds_input = [&](Operand operand, std::int64_t elements) {
    if (operand.buffer == BufferTable::kInput) return has_arguments || arguments.input != nullptr;
    if (operand.buffer == BufferTable::kTarget) return has_arguments || arguments.target != nullptr;
    return holds(operand, elements);
  };
  for (const Instruction& instruction : program.code) {
    const Extents reach = extents(instruction);
    bool all = true;
    for (std::size_t i = 0; i < reach.in.size(); ++i) all = all && holds_input(instruction.in[i], reach.in[i]);
    for (std::size_t i = 0; i < reach.out.size(); ++i) all = all && holds(instruction.out[i], reach.out[i]);
    for (const Predicate& predicate : instruction.when) all = all && holds({predicate.counter}, 1);
    if (!all) {
      return {StatusCode::kInternal,
              fmt::format("cuda: instruction {} ({}) of '{}' names a buffer without memory, or without enough",
                          &instruction - program.code.data(), to_string(instruction.op), program.title)};
    }
  }
  return {};
}

std::int64_t DeviceMemory::argument_elements(const Program& program, BufferId argument) {
  std::int64_t most = 0;
  for (const Instruction& instruction : program.code) {
    const Extents reach = extents(instruction);
    for (std::size_t i = 0; i < reach.in.size(); ++i)
      if (instruction.in[i].buffer == argument) most = std::max(most, reach.in[i]);
  }
  return most;
}

Status DeviceMemory::reserve_arguments(const Program& program) {
  const auto elements = [&](BufferId argument) {
    return static_cast<std::size_t>(argument_elements(program, argument));
  };
  WEFT_RETURN_IF_ERROR(input_.reserve(elements(BufferTable::kInput), "the input of a call"));
  return target_.reserve(elements(BufferTable::kTarget), "the target of a call");
}

Status DeviceMemory::stage(const Program& program, const RunArguments& arguments) {
  const auto copy = [&](const void* from, BufferId argument, const DeviceArray<float>& to) {
    const std::int64_t elements = argument_elements(program, argument);
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
  const Block& block = blocks_[static_cast<std::size_t>(operand.buffer)];
  // Reduced before the subtraction: a clock younger than the lag must not wrap at 2^64.
  const std::int64_t now = static_cast<std::int64_t>(clock % static_cast<std::uint64_t>(block.slots));
  const std::int64_t slot = (now - operand.lag % block.slots + block.slots) % block.slots;
  return block.bytes.get() + static_cast<std::size_t>(slot * block.elements) * kElementBytes;
}

kernels::Operands DeviceMemory::operands(const Instruction& instruction, std::uint64_t clock) const {
  kernels::Operands at{};
  for (std::size_t i = 0; i < 3; ++i) {
    at.in[i] = reinterpret_cast<const float*>(place(instruction.in[i], clock));
    at.out[i] = reinterpret_cast<float*>(place(instruction.out[i], clock));
    at.when[i] = reinterpret_cast<const std::uint32_t*>(place({instruction.when[i].counter}, clock));
  }
  return at;
}

}  // namespace weft::cuda
