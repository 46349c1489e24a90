// Pieces: how many calls of a run go into each of its launches.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::cuda {

/// While the first few run, the host sends what the others need; while the last few run, the GPU adds up the losses of
/// the others. A launch takes as long as some ten short calls.
inline std::vector<std::int32_t> pieces_of(std::int32_t calls) {
  constexpr std::int32_t kShort = 4096;
  if (calls < kShort) return {calls};
  const std::int32_t first = calls / 32, last = calls / 16;
  return {first, calls - first - last, last};
}

}  // namespace weft::cuda
