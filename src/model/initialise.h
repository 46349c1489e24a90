// Drawing the fresh weights of a list of leaves.
#pragma once

#include <span>

#include "weft/initialise.hpp"
#include "weft/op.hpp"

namespace weft {

/// Fills leaf i (from 0) from the stream (seed, i + 1); biases become zero. Nothing changes after an error.
/// Errors: kInvalidArgument, kUnsupported, kResourceExhausted naming the leaf.
Status initialise_leaves(std::span<Dense* const> leaves, const Init& init);

/// "dense 'fc2' (leaf 2)" or "dense (leaf 2)".
std::string leaf_label(const Dense& leaf, std::size_t number);

/// Checks sizes, dtype and format of a leaf, without looking at its weights. `place` starts the message.
Status validate_leaf(const Dense& leaf, const std::string& place);

}  // namespace weft
