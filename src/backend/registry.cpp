// Registry: the devices by name. A new backend is one row here.
#include <fmt/format.h>

#include <array>

#include "src/backend/backend.h"
#include "src/backend/cpu/cpu.h"
#include "src/backend/plugin.h"
#ifdef WEFT_HAVE_BLAS
#include "src/backend/native_cpu/native_cpu.h"
#endif

namespace weft {

#ifndef WEFT_HAVE_BLAS
namespace {

Status without_blas() {
  return {StatusCode::kUnsupported,
          "native_cpu: this weft was built without a BLAS (wanted OpenBLAS; device cpu needs none)"};
}

BackendEntry native_cpu_entry() {
  return {"native_cpu", "OpenBLAS products", without_blas,
          [](DType) -> Result<std::unique_ptr<Backend>> { return without_blas(); }};
}

}  // namespace
#endif

std::span<const BackendEntry> backends() {
  static const std::array<BackendEntry, 4> entries{cpu_entry(), native_cpu_entry(), cuda_entry(), metal_entry()};
  return entries;
}

Result<std::unique_ptr<Backend>> create_backend(std::string_view device, DType storage) {
  std::string known;
  for (const BackendEntry& entry : backends()) {
    if (entry.name == device) return entry.create(storage);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  return Status{StatusCode::kNotFound, fmt::format("device '{}' is not known; known: {}", device, known)};
}

}  // namespace weft
