// What writing and reading a model's JSON share.
#pragma once

#include <string>

#include "weft/grid.hpp"
#include "weft/op.hpp"

namespace weft {

/// The version of model files, the value of their key "weft".
inline constexpr int kModelFormat = 1;

/// Ops within ops, the outermost counted as 1.
inline constexpr int kMaxOpDepth = 64;

std::string stack_to_json(const Stack& stack);
std::string grid_to_json(const Grid& grid);

}  // namespace weft
