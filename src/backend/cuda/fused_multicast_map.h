// Tensor maps: what the tensor copy engine is told of a matrix.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace weft::cuda::fused {

/// A matrix as strips of lines of 128 bytes, which lie side by side: x is in a line, y the line, z the strip. Where the
/// last strip would be narrower there is but one strip, as wide as all. What lies outside is 0.
struct MapOf {
  const void* from;
  std::int64_t row;  // bytes from line to line
  int width, lines;  // of the matrix
  int element;       // bytes
  int box_lines, box_strips;
  bool has_strips() const { return static_cast<std::int64_t>(width) * element % 128 == 0; }
};

/// Whether the driver at hand makes maps.
bool can_make_maps();

/// False where the driver cannot. The library does not want the driver's to be there when it is loaded.
bool make_map(CUtensorMap& map, const MapOf& of);

}  // namespace weft::cuda::fused
