// Tape: what the forward pass of an op saves for a credit rule, and where.
#pragma once

#include <string>
#include <vector>

#include "src/program/builder.h"

namespace weft {

class Layer;

/// x and y of an op, z of a leaf, and whatever else the kind saves. A tree like the model's.
/// Laying out a tape emits nothing: it only says which buffers the numbers are in.
struct Tape {
  const Layer* layer = nullptr;
  Value x, z, y;
  std::vector<Value> saved;
  std::vector<Tape> children;
};

/// Where a tape's buffers come from.
struct TapeStore {
  BufferTable& buffers;
  std::string prefix;  // "" on the stack, "pipe/", "tick.3/" ...
  Role role = Role::kScratch;
  std::int64_t slots = 1;  // of a ring
  std::int32_t lag = 0;    // age of the sample in the ring

  Value make(const std::string& name, const Shape& shape) const {
    return {{buffers.require(prefix + name, Element::kStorage, role, shape.elements(), slots), lag}, shape};
  }
};

}  // namespace weft
