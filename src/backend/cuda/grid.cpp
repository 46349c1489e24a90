// Making and launching the kernel of a grid.
#include "src/backend/cuda/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

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
  float* board;
  unsigned* state;
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
  const std::string whole =
      grid->text_.before + std::string(kernel_text()) + std::string(grid_kernel_text()) + grid->text_.text;
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
  const auto board = static_cast<std::size_t>(std::max<std::int64_t>(grid->text_.board, 1));
  const auto state = static_cast<std::size_t>(kGridKept + 2 + grid->text_.notices);
  WEFT_RETURN_IF_ERROR(grid->board_.reserve(board, "what the blocks of a grid tell each other"));
  WEFT_RETURN_IF_ERROR(grid->state_.reserve(state, "a grid's counters"));
  const cudaStream_t stream = memory.stream();
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemsetAsync(grid->board_.data(), 0, board * sizeof(float), stream), "zeroing a grid's memory"));
  WEFT_RETURN_IF_ERROR(to_status(cudaMemsetAsync(grid->state_.data(), 0, state * sizeof(unsigned), stream),
                                 "zeroing a grid's counters"));
  return grid;
}

Status Grid::takes(const DeviceCalls& calls) const {
  const auto read = [&](int width) { return RowsRead{text_.batch, std::int64_t{text_.batch} * width}; };
  return check_rows("cuda", program_, calls.samples(), read(text_.input_width), read(text_.target_width));
}

Status Grid::run(const DeviceCalls& calls) {
  places_.clear();
  for (const BufferId buffer : text_.buffers) places_.push_back(reinterpret_cast<float*>(memory_.place({buffer}, 0)));
  const bool rows = calls.input_elements != 0 || calls.target_elements != 0;  // else one batch, as the program reads it
  const int each = rows ? text_.batch / calls.batch : 1;
  Run run{calls.inputs,  calls.targets, calls.order, calls.rates, calls.outcomes,
          board_.data(), state_.data(), calls.clock, calls.count, each};
  void* arguments[] = {places_.data(), &run};
  return to_status(cudaLaunchCooperativeKernel(kernel_, dim3(static_cast<unsigned>(blocks_)), dim3(kThreads), arguments,
                                               text_.shared_bytes, memory_.stream()),
                   fmt::format("launching '{}'", program_.title));
}

std::string Grid::describe() const {
  return fmt::format(
      "grid of {} blocks of {} threads, {:.1f} KiB on chip, {} rounds a call, {} with barriers, generated", blocks_,
      kThreads, static_cast<double>(text_.shared_bytes) / 1024.0, text_.rounds, text_.barriers);
}

}  // namespace weft::cuda
