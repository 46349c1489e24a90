// The `cuda` device: float32 programs on an NVIDIA GPU, each in its way. This is the whole of libweft_cuda that the
// core sees.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/backend/backend.h"
#include "src/backend/cuda/call_arrays.h"
#include "src/backend/cuda/chip_fleet.h"
#include "src/backend/cuda/launch.h"
#include "src/backend/cuda/memory.h"
#include "src/backend/cuda/status.h"
#include "src/backend/cuda/ways.h"
#include "src/backend/device_buffers.h"
#include "src/core/in_threads.h"
#include "src/core/try.h"

namespace weft::cuda {
namespace {

class CudaBackend final : public Backend {
 public:
  Status open(int device, Precision precision) { return memory_.open(device, precision); }

  Status reserve(const BufferTable& buffers) override {
    return guarded([&] {
      ways_.forget();
      checked_ = 0;
      return memory_.reserve(buffers);
    });
  }
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) override {
    return guarded([&] { return memory_.write(buffer, slot, data, bytes); });
  }
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) override {
    return guarded([&] { return memory_.read(buffer, slot, data, bytes); });
  }
  Status run(const Program& program, const RunArguments& arguments) override {
    return guarded([&]() -> Status {
      WEFT_RETURN_IF_ERROR(check(program, arguments.input != nullptr, arguments.target != nullptr));
      WEFT_ASSIGN_OR_RETURN(DeviceCalls calls, arrays_.send_one(arguments.lr, arguments.clock, memory_.stream()));
      WEFT_ASSIGN_OR_RETURN(Way* const way, ways_.get(program, calls));
      WEFT_RETURN_IF_ERROR(memory_.stage(program, arguments));
      const Arguments staged = memory_.arguments();
      calls.inputs = staged.input, calls.targets = staged.target;
      WEFT_RETURN_IF_ERROR(way->run(calls));
      return memory_.wait(fmt::format("'{}'", program.title));
    });
  }
  Result<std::unique_ptr<HeldRows>> hold(const SampleRows& rows) override {
    std::unique_ptr<HeldRows> held;
    WEFT_RETURN_IF_ERROR(guarded([&]() -> Status {
      WEFT_ASSIGN_OR_RETURN(held, DeviceRows::make(rows, memory_.device(), memory_.stream()));
      return {};
    }));
    return held;
  }
  Status run_calls(const Program& program, const CallRun& calls) override {
    WEFT_ASSIGN_OR_RETURN(Way* const way, way_of(program, calls));
    return run_calls(*way, program, calls);
  }

  // The parts of run_calls.
  Result<Way*> way_of(const Program& program, const CallRun& calls) {
    Way* way = nullptr;
    WEFT_RETURN_IF_ERROR(guarded([&]() -> Status {
      if (program.id == 0 || program.id != checked_) WEFT_RETURN_IF_ERROR(check(program, true, true));
      checked_ = program.id;
      WEFT_ASSIGN_OR_RETURN(way, ways_.get(program, CallArrays::sizes(calls)));
      return {};
    }));
    return way;
  }
  Status run_calls(Way& way, const Program& program, const CallRun& calls) {
    return guarded([&] { return arrays_.run(calls, way, memory_.stream(), fmt::format("'{}'", program.title)); });
  }
  /// Runs the parts of a fleet, of which the first is of this session.
  Status run_fleet(std::span<const ChipFleet::Part> parts) {
    return guarded([&]() -> Status { return fleet_.run(parts); });
  }
  int device() const { return memory_.device(); }

 private:
  Status check(const Program& program, bool has_input, bool has_target) const {
    return device_buffers::check_operands("cuda", memory_.buffers(), program, has_input, has_target);
  }

  /// A fault of the GPU never goes away again: every later call fails with what the first one met.
  template <typename Action>
  Status guarded(Action action) {
    if (!fault_.ok()) return fault_;
    WEFT_RETURN_IF_ERROR(to_status(cudaSetDevice(memory_.device()), "using the session's GPU"));
    Status status = action();
    if (status.code() == StatusCode::kDeviceFault) fault_ = status;
    return status;
  }

  Status fault_;
  DeviceMemory memory_;
  CallArrays arrays_;
  ChipFleet fleet_;
  Ways ways_{memory_};
  std::uint64_t checked_ = 0;  // the program whose operands were checked last, with samples; 0: none
};

/// Members whose kernels are the same share launches; the others run side by side.
void run_together(std::span<const MemberRun> members) {
  std::vector<Way*> ways(members.size());
  const auto backend = [&](std::size_t i) { return static_cast<CudaBackend*>(members[i].backend); };
  in_threads_if_long(members.size(), [&](std::size_t i) {
    const Result<Way*> way = backend(i)->way_of(*members[i].program, *members[i].calls);
    *members[i].status = way.status();
    if (way.ok()) ways[i] = *way;
  });
  std::map<std::pair<int, const void*>, std::vector<std::size_t>> alike;  // by GPU and kernel
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].status->ok()) continue;
    const auto* chip = dynamic_cast<Chip*>(ways[i]);
    // Where there is no kernel for all calls, each is a group of its own.
    const void* const kernel = chip == nullptr ? static_cast<const void*>(members[i].backend) : chip->kernel();
    alike[{backend(i)->device(), kernel}].push_back(i);
  }
  std::vector<const std::vector<std::size_t>*> groups;
  for (const auto& [which, group] : alike) groups.push_back(&group);
  in_threads(groups.size(), [&](std::size_t g) {
    const std::vector<std::size_t>& group = *groups[g];
    std::vector<ChipFleet::Part> parts;
    for (const std::size_t i : group) {
      if (auto* chip = dynamic_cast<Chip*>(ways[i])) parts.push_back({chip, members[i].calls});
    }
    const std::size_t first = group.front();
    const Status ran = parts.empty()
                           ? backend(first)->run_calls(*ways[first], *members[first].program, *members[first].calls)
                           : backend(first)->run_fleet(parts);
    for (const std::size_t i : group) *members[i].status = ran;
  });
}

/// "13.0"
std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// Why there is no GPU to be had, in the runtime's words and with what was looked at.
Status no_gpu(cudaError_t error) {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  const std::string looked = driver == 0 ? "no NVIDIA driver (libcuda.so.1) is installed"
                                         : fmt::format("the driver serves CUDA {}, wanted at least {}.0",
                                                       version_text(driver), CUDART_VERSION / 1000);
  return {StatusCode::kNotFound,
          fmt::format("device cuda: no usable NVIDIA GPU: {}; {}", cudaGetErrorString(error), looked)};
}

Status look_for_gpu() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return no_gpu(error);
  if (count == 0) return no_gpu(cudaErrorNoDevice);
  cudaDeviceProp gpu{};
  if (const cudaError_t error = cudaGetDeviceProperties(&gpu, 0); error != cudaSuccess) return no_gpu(error);
  if (const cudaError_t error = probe(); error != cudaSuccess) {
    return {StatusCode::kNotFound,
            fmt::format("device cuda: {} (compute capability {}.{}) cannot run this library: {}; it was built for {}",
                        gpu.name, gpu.major, gpu.minor, cudaGetErrorString(error), WEFT_CUDA_ARCHITECTURES)};
  }
  return {};
}

Status available() {
  static const Status status = look_for_gpu();
  return status;
}

std::string describe() {
  cudaDeviceProp gpu{};
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 || cudaGetDeviceProperties(&gpu, 0) != cudaSuccess) {
    return "NVIDIA GPUs";
  }
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{}, {:.0f} GiB, compute capability {}.{}{}", gpu.name,
                     static_cast<double>(gpu.totalGlobalMem) / kGibibyte, gpu.major, gpu.minor,
                     blas_available().ok() ? "" : "; large products are slow without cuBLASLt");
}

Result<std::unique_ptr<Backend>> create(const BackendOptions& options) {
  const DType storage = options.storage;
  if (storage != DType::kFloat32) {
    return Status{StatusCode::kUnsupported,
                  fmt::format("cuda: storage {} is not carried out, wanted float32 (device cpu has float64)",
                              to_string(storage))};
  }
  WEFT_RETURN_IF_ERROR(available());
  int count = 0;
  WEFT_RETURN_IF_ERROR(to_status(cudaGetDeviceCount(&count), "counting GPUs"));
  if (options.index >= count)
    return Status{StatusCode::kNotFound,
                  fmt::format("cuda: GPU {} wanted, there are {}, counted from 0", options.index, count)};
  auto backend = std::make_unique<CudaBackend>();
  WEFT_RETURN_IF_ERROR(backend->open(options.index, options.precision));
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace
}  // namespace weft::cuda

/// The library's row, for src/backend/plugin.cpp.
extern "C" __attribute__((visibility("default"))) const weft::BackendEntry* weft_backend_entry_v4() {
  static const std::string description = weft::cuda::describe();
  static const weft::BackendEntry entry{"cuda", description, weft::cuda::available, weft::cuda::create,
                                        weft::cuda::run_together};
  return &entry;
}
