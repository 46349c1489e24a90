// The Member (src/kernels/member.h) of a network's calls, as bytes on their way to a GPU.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "src/backend/cuda/memory.h"
#include "src/backend/cuda/way.h"
#include "src/kernels/member.h"

namespace weft::cuda {

inline std::size_t member_bytes(std::size_t buffers) {
  return sizeof(kernels::Member) + buffers * sizeof(kernels::Held);
}

/// Writes member_bytes(held.size()) bytes.
inline void write_member(const DeviceCalls& calls, const DeviceMemory& memory, const std::vector<BufferId>& held,
                         std::byte* to) {
  const kernels::Member member{.inputs = calls.inputs,
                               .targets = calls.targets,
                               .order = calls.order,
                               .rates = calls.rates,
                               .outcomes = calls.outcomes,
                               .clock = calls.clock,
                               .count = calls.count,
                               .batch = calls.batch};
  std::memcpy(to, &member, sizeof member);
  to += sizeof member;
  for (const BufferId buffer : held) {
    const kernels::Held at{reinterpret_cast<float*>(memory.place({buffer}, 0)), memory.buffers()[buffer].elements};
    std::memcpy(to, &at, sizeof at);
    to += sizeof at;
  }
}

}  // namespace weft::cuda
