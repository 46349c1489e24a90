// Chunks of memory that take turns.
#include "src/backend/cuda/upload.h"

#include <fmt/format.h>

namespace weft::cuda {

Upload::~Upload() {
  for (const Chunk& chunk : chunks_) cudaFreeHost(chunk.memory);
}

Result<std::byte*> Upload::next_chunk() {
  at_ = (at_ + 1) % chunks_.size();
  Chunk& chunk = chunks_[at_];
  if (chunk.memory == nullptr) {
    WEFT_RETURN_IF_ERROR(chunk.gone.open());
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, kChunkBytes, cudaHostAllocDefault) != cudaSuccess) {
      cudaGetLastError();  // not a fault: the device goes on as before
      return Status{StatusCode::kResourceExhausted,
                    fmt::format("cuda: {} bytes of memory that does not move wanted", kChunkBytes)};
    }
    chunk.memory = static_cast<std::byte*>(memory);
  }
  WEFT_RETURN_IF_ERROR(chunk.gone.wait("copying to the GPU"));
  return chunk.memory;
}

Status Upload::start(void* to, std::size_t bytes, std::string_view what, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(to, chunks_[at_].memory, bytes, cudaMemcpyHostToDevice, stream), what));
  return chunks_[at_].gone.record(stream);
}

}  // namespace weft::cuda
