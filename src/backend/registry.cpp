// Registry: the devices by name. A new backend is one row here.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/backend/backend.h"
#include "src/backend/cpu/cpu.h"
#include "src/backend/plugin.h"
#include "src/core/try.h"
#ifdef WEFT_HAVE_BLAS
#include "src/backend/native_cpu/native_cpu.h"
#endif

namespace weft {

#ifndef WEFT_HAVE_BLAS
namespace {

Status without_blas() {
  return {StatusCode::kUnsupported,
          "native_cpu: this weft was built without OpenBLAS and Highway (device cpu needs neither)"};
}

BackendEntry native_cpu_entry() {
  return {"native_cpu", "OpenBLAS products", without_blas,
          [](const BackendOptions&) -> Result<std::unique_ptr<Backend>> { return without_blas(); }};
}

}  // namespace
#endif

namespace {

constexpr int kMostThreads = 1024;

Status check_threads(std::string_view device, int threads) {
  if (threads < 0 || threads > kMostThreads)
    return {StatusCode::kInvalidArgument, fmt::format("threads: seen {}, wanted 0 to {}", threads, kMostThreads)};
  if (threads > 1 && device != "native_cpu")
    return {
        StatusCode::kInvalidArgument,
        fmt::format("threads: seen {}, wanted 0 on device {}: only native_cpu has worker threads", threads, device)};
  return {};
}

/// What only a GPU can do.
Status check_gpu_options(std::string_view device, const BackendOptions& options) {
  if (options.index < 0)
    return {StatusCode::kInvalidArgument, fmt::format("device index: seen {}, wanted 0 or more", options.index)};
  if (device == "cuda") return {};
  if (options.precision != Precision::kFloat32)
    return {StatusCode::kUnsupported,
            fmt::format("precision: seen {} on device {}, wanted fp32; only cuda rounds factors",
                        to_string(options.precision), device)};
  if (options.index > 0)
    return {StatusCode::kInvalidArgument,
            fmt::format("device index: seen {} on device {}, wanted 0; only cuda has several", options.index, device)};
  return {};
}

}  // namespace

std::span<const BackendEntry> backends() {
  static const std::array<BackendEntry, 4> entries{cpu_entry(), native_cpu_entry(), cuda_entry(), metal_entry()};
  return entries;
}

const BackendEntry* find_backend(std::string_view device) {
  const auto all = backends();
  const auto found = std::find_if(all.begin(), all.end(), [&](const BackendEntry& e) { return e.name == device; });
  return found == all.end() ? nullptr : &*found;
}

Result<std::unique_ptr<Backend>> create_backend(std::string_view device, const BackendOptions& options) {
  if (const BackendEntry* entry = find_backend(device); entry != nullptr) {
    WEFT_RETURN_IF_ERROR(check_threads(device, options.threads));
    WEFT_RETURN_IF_ERROR(check_gpu_options(device, options));
    return entry->create(options);
  }
  std::string known;
  for (const BackendEntry& entry : backends()) known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  return Status{StatusCode::kNotFound, fmt::format("device '{}' is not known; known: {}", device, known)};
}

}  // namespace weft
