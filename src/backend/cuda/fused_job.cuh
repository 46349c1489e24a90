// What the kernels of fused products are told, and how they divide their work.
#pragma once

#include "src/backend/cuda/fused.h"
#include "src/kernels/step.h"

namespace weft::cuda::fused {

using kernels::Index;

constexpr int kLine = 128;               // bytes of each row of left and column of right that a stage brings
constexpr int kMostShared = 113 * 1024;  // of a block: two fit on a multiprocessor, so that two products run together

/// How a product is divided.
struct Plan {
  enum class Size {
    kSmall,   // 64 x 64 a block
    kOblong,  // 128 x 64
  } size = Size::kSmall;
  double time = 0.0;  // estimated, µs
};

struct Job {
  const char* left;
  const char* right;
  Index left_row, right_row;  // bytes
  int rows, columns, inner;
  bool wide;     // two neighbours of float32 results may be accessed together
  bool guarded;  // there are conditions
  Finish finish;
  Guard guard;
};

struct Launch {
  Plan plan;
  bool left_turned, right_turned;
  cudaStream_t stream;
};
/// Puts one kernel on the stream.
cudaError_t launch_float32(const Job& job, const Launch& launch);

}  // namespace weft::cuda::fused
