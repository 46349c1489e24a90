// Making and launching the kernel of a grid.
#include "src/backend/cuda/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "src/backend/cuda/status.h"
#include "src/core/try.h"
#include "src/generate/kernel_text.h"

namespace weft::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kMostPlaces = 400;  // a kernel's arguments have 4096 bytes

/// As in src/kernels/grid/run.h.
struct Run {
  const float* inputs;
  const float* targets;
  const std::int32_t* order;
  const float* rates;
  kernels::CallOutcome* outcomes;
  float* exchange;
  unsigned* barrier;
  unsigned long long clock;
  int count, each;
};

Result<int> attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  WEFT_RETURN_IF_ERROR(to_status(cudaDeviceGetAttribute(&value, which, device), "asking what the GPU can do"));
  return value;
}

}  // namespace

Result<std::unique_ptr<Grid>> Grid::make(const Program& program, DeviceMemory& memory) {
  const int device = memory.device();
  WEFT_ASSIGN_OR_RETURN(const int cooperative, attribute(cudaDevAttrCooperativeLaunch, device));
  WEFT_ASSIGN_OR_RETURN(const int major, attribute(cudaDevAttrComputeCapabilityMajor, device));
  if (cooperative == 0 || major < 8)
    return Status{StatusCode::kUnsupported,
                  fmt::format("grid: the GPU has compute capability {}.x, wanted 8.0 at least", major)};
  WEFT_ASSIGN_OR_RETURN(const int most, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  WEFT_ASSIGN_OR_RETURN(const int blocks, attribute(cudaDevAttrMultiProcessorCount, device));
  WEFT_ASSIGN_OR_RETURN(
      GridText text,
      grid_text(program, memory.buffers(), {.blocks = blocks, .shared_bytes = most, .precision = memory.precision()}));
  if (text.buffers.size() > kMostPlaces)
    return Status{StatusCode::kUnsupported,
                  fmt::format("grid: the program has {} buffers, wanted at most {}", text.buffers.size(), kMostPlaces)};
  std::unique_ptr<Grid> grid(new Grid(program, memory, std::move(text), blocks));
  const std::string whole = std::string(kernel_text()) + std::string(grid_kernel_text()) + grid->text_.text;
  WEFT_ASSIGN_OR_RETURN(grid->module_, Module::get(program.title, whole));
  WEFT_ASSIGN_OR_RETURN(grid->kernel_, grid->module_->kernel("weft_grid"));
  const int bytes = static_cast<int>(grid->text_.shared_bytes);
  WEFT_RETURN_IF_ERROR(
      to_status(cudaFuncSetAttribute(grid->kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                "asking for a block's memory"));
  int resident = 0;
  WEFT_RETURN_IF_ERROR(to_status(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, grid->kernel_, kThreads, grid->text_.shared_bytes),
      "asking how many blocks are resident"));
  if (resident < 1)
    return Status{StatusCode::kUnsupported, "grid: no block of the kernel is resident on a multiprocessor"};
  WEFT_RETURN_IF_ERROR(grid->exchange_.reserve(
      static_cast<std::size_t>(std::max<std::int64_t>(grid->text_.exchange, 1)), "what the blocks of a grid pass on"));
  WEFT_RETURN_IF_ERROR(grid->barrier_.reserve(1, "a barrier"));
  return grid;
}

Status Grid::takes(const DeviceCalls& calls) const {
  const auto read = [&](int width) { return RowsRead{text_.batch, std::int64_t{text_.batch} * width}; };
  return check_rows("cuda", program_, calls.samples(), read(text_.input_width), read(text_.target_width));
}

Status Grid::run(const DeviceCalls& calls) {
  // The barrier's counter has 32 bits, of which one is kept.
  const std::int64_t most = std::numeric_limits<std::int32_t>::max() / (std::max(text_.barriers, 1) * blocks_);
  DeviceCalls some = calls;
  for (std::int64_t at = 0; at < calls.count; at += some.count) {
    some.count = static_cast<std::int32_t>(std::min(most, calls.count - at));
    WEFT_RETURN_IF_ERROR(launch(some));
    some = some.after(some.count);
  }
  return {};
}

Status Grid::launch(const DeviceCalls& calls) {
  places_.clear();
  for (const BufferId buffer : text_.buffers) places_.push_back(reinterpret_cast<float*>(memory_.place({buffer}, 0)));
  const bool rows = calls.input_elements != 0 || calls.target_elements != 0;  // else one batch, as the program reads it
  const int each = rows ? text_.batch / calls.batch : 1;
  Run run{calls.inputs,     calls.targets,   calls.order, calls.rates, calls.outcomes,
          exchange_.data(), barrier_.data(), calls.clock, calls.count, each};
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemsetAsync(barrier_.data(), 0, sizeof(unsigned), memory_.stream()), "zeroing a barrier"));
  void* arguments[] = {places_.data(), &run};
  return to_status(cudaLaunchCooperativeKernel(kernel_, dim3(static_cast<unsigned>(blocks_)), dim3(kThreads), arguments,
                                               text_.shared_bytes, memory_.stream()),
                   fmt::format("launching '{}'", program_.title));
}

std::string Grid::describe() const {
  return fmt::format("grid of {} blocks of {} threads, {:.1f} KiB on chip, {} barriers a call, generated", blocks_,
                     kThreads, static_cast<double>(text_.shared_bytes) / 1024.0, text_.barriers);
}

}  // namespace weft::cuda
