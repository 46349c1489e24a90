// Projection: a gap resized to another number of elements.
#pragma once

#include <cstdint>

#include "src/backend/native_cpu/team.h"

namespace weft::native_cpu {

/// y[wanted] = a times x[given] resized: element i is the mean of x[lo..hi-1], lo = i*given/wanted,
/// hi = max(lo+1, (i+1)*given/wanted); equal sizes copy.
void project(Team& team, std::int64_t given, std::int64_t wanted, float a, const float* x, float* y);

}  // namespace weft::native_cpu
