// Choosing how a fused product is divided, and launching it.
#include "src/backend/cuda/fused.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "src/backend/cuda/fused_job.cuh"
#include "src/backend/cuda/fused_multicast.h"
#include "src/backend/cuda/fused_multicast_map.h"

namespace weft::cuda {
namespace fused {

#ifdef WEFT_CUDA_MULTICAST
constexpr bool kHasMulticast = true;
#else  // built for other GPUs alone
constexpr bool kHasMulticast = false;
cudaError_t multicast_tf32(const Job&, const Launch&) { return cudaErrorNotSupported; }
cudaError_t multicast_bfloat16(const Job&, const Launch&) { return cudaErrorNotSupported; }
#endif

namespace {

/// The GPU at hand.
struct Gpu {
  int processors = 1;
  double clock = 1.0;           // cycles in a µs
  bool has_room = false;        // for a block in shared memory
  bool copies_tensors = false;  // by an engine that this library has code for
};

const Gpu& gpu() {
  static thread_local int known = -1;
  static thread_local Gpu gpu;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device == known) return gpu;
  int major = 0, minor = 0, kilohertz = 1000, shared = 0;
  cudaDeviceGetAttribute(&gpu.processors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  gpu.clock = std::max(kilohertz, 1000) / 1000.0;
  gpu.has_room = shared >= kMostShared;
  gpu.copies_tensors = kHasMulticast && major == 9 && minor == 0 && can_make_maps();
  known = device;
  return gpu;
}

std::int64_t element(Precision precision) { return precision == Precision::kBfloat16 ? 2 : 4; }

// Cycles that a multiprocessor takes for each 128 bytes of the inner side of 64 x 64 sums in fp32, and before and
// behind them (measured on an H200).
constexpr double kStage = 1150.0, kStart = 8500.0;

Plan plan(const ProductShape& shape) {
  const auto tiles = [&](double rows) {
    return std::ceil(static_cast<double>(shape.rows) / rows) * std::ceil(static_cast<double>(shape.columns) / 64.0);
  };
  const double stages = std::ceil(static_cast<double>(shape.inner * element(shape.precision)) / kLine);
  const double processors = gpu().processors, small = std::max(1.0, tiles(64.0) / processors),
               oblong = 2.0 * std::max(1.0, tiles(128.0) / processors);
  const auto time = [&](double rounds) { return (kStart + rounds * stages * kStage) / gpu().clock; };
  // Larger tiles, which need fewer bytes, where there are many.
  if (tiles(128.0) >= 3.0 * processors) return {Plan::Size::kOblong, time(oblong)};
  return {Plan::Size::kSmall, time(small)};
}

}  // namespace
}  // namespace fused

bool can_multiply(const ProductShape& shape) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;
  const auto fits = [&](const Factor& factor) {
    return factor.row * fused::element(shape.precision) % 16 == 0 && factor.alignment % 16 == 0;
  };
  // With rounded factors what any GPU can do is slower than cuBLASLt.
  const bool has_way = shape.precision == Precision::kFloat32 ? fused::gpu().has_room : fused::gpu().copies_tensors;
  const bool some = shape.rows > 0 && shape.columns > 0 && shape.inner > 0;
  const bool indexed = shape.rows < kMost && shape.columns < kMost && shape.inner < kMost;
  const auto tiles = (shape.rows + 63) / 64 * ((shape.columns + 63) / 64);
  return some && has_way && indexed && tiles < kMost && !(shape.left.turned && shape.right.turned) &&
         fits(shape.left) && fits(shape.right);
}

double multiply_time(const ProductShape& shape) { return fused::plan(shape).time; }

cudaError_t multiply(const Guard& guard, const ProductShape& shape, const void* left, const void* right,
                     const Finish& finish, cudaStream_t stream) {
  const std::int64_t bytes = fused::element(shape.precision);
  const auto odd = [](const float* p) { return reinterpret_cast<std::uintptr_t>(p) % 8 != 0; };
  const bool guarded = std::any_of(std::begin(guard.when), std::end(guard.when),
                                   [](auto& c) { return c.test != kernels::Condition::Test::kAlways; });
  const fused::Launch launch{fused::plan(shape), shape.left.turned, shape.right.turned, stream};
  const fused::Job job{static_cast<const char*>(left),
                       static_cast<const char*>(right),
                       shape.left.row * bytes,
                       shape.right.row * bytes,
                       static_cast<int>(shape.rows),
                       static_cast<int>(shape.columns),
                       static_cast<int>(shape.inner),
                       shape.columns % 2 == 0 && !odd(finish.y) && !odd(finish.z) && !odd(finish.to.plain),
                       guarded,
                       finish,
                       guard};
  switch (shape.precision) {
    case Precision::kFloat32: return fused::launch_float32(job, launch);
    case Precision::kTf32: return fused::multicast_tf32(job, launch);
    case Precision::kBfloat16: return fused::multicast_bfloat16(job, launch);
  }
  return cudaErrorInvalidValue;
}

}  // namespace weft::cuda
