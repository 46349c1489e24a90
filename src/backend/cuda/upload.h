// Upload: arrays on their way to a GPU, in its types, so that they travel while it runs other work.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "src/backend/cuda/event.h"

namespace weft::cuda {

class Upload {
 public:
  Upload() = default;
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  /// Starts copying the elements. Errors: kResourceExhausted, kDeviceFault starting with `what`.
  template <typename To, typename From>
  Status send(std::span<const From> from, To* to, std::string_view what, cudaStream_t stream) {
    constexpr std::size_t kMost = kChunkBytes / sizeof(To);
    while (!from.empty()) {
      const std::span<const From> now = from.first(std::min(from.size(), kMost));
      WEFT_ASSIGN_OR_RETURN(std::byte* const chunk, next_chunk());
      std::transform(now.begin(), now.end(), reinterpret_cast<To*>(chunk),
                     [](From element) { return static_cast<To>(element); });
      WEFT_RETURN_IF_ERROR(start(to, now.size() * sizeof(To), what, stream));
      from = from.subspan(now.size()), to += now.size();
    }
    return {};
  }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 18;  // filled while others travel

  struct Chunk {
    std::byte* memory = nullptr;  // of the host, does not move
    Event gone;
  };

  /// One that can be filled.
  Result<std::byte*> next_chunk();
  Status start(void* to, std::size_t bytes, std::string_view what, cudaStream_t stream);

  std::array<Chunk, 4> chunks_;
  std::size_t at_ = 0;  // the chunk that is filled
};

}  // namespace weft::cuda
