// The Member (src/kernels/member.h) of a network's calls, as bytes on their way to a GPU.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "src/backend/cuda/memory.h"
#include "src/backend/cuda/way.h"
#include "src/kernels/member.h"

namespace weft::cuda {

using HeldPlaces = std::vector<kernels::Held>;

/// Where those buffers lie until the memory is reserved anew.
inline HeldPlaces places_of(const std::vector<BufferId>& held, const DeviceMemory& memory) {
  HeldPlaces places;
  for (const BufferId buffer : held)
    places.push_back({reinterpret_cast<float*>(memory.place({buffer}, 0)), memory.buffers()[buffer].elements});
  return places;
}

/// Appends a Member and its buffers.
inline void write_member(const DeviceCalls& calls, const HeldPlaces& held, std::vector<std::byte>& to) {
  const kernels::Member member{.inputs = calls.inputs,
                               .targets = calls.targets,
                               .order = calls.order,
                               .rates = calls.rates,
                               .outcomes = calls.outcomes,
                               .clock = calls.clock,
                               .count = calls.count,
                               .batch = calls.batch};
  const std::size_t at = to.size(), places = held.size() * sizeof(kernels::Held);
  to.resize(at + sizeof member + places);
  std::memcpy(to.data() + at, &member, sizeof member);
  if (places != 0) std::memcpy(to.data() + at + sizeof member, held.data(), places);
}

}  // namespace weft::cuda
