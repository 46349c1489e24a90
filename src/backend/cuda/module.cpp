// Compiling, keeping and loading kernels.
#include "src/backend/cuda/module.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "src/backend/cuda/nvrtc.h"
#include "src/backend/cuda/status.h"
#include "src/core/try.h"
#include "src/generate/code_cache.h"

namespace weft::cuda {

Result<std::string> machine_code(const std::string& title, const std::string& text, int architecture) {
  WEFT_ASSIGN_OR_RETURN(const Nvrtc* const nvrtc, Nvrtc::get());
  const CodeCache cache = CodeCache::of_user();
  const std::string compiler = fmt::format("nvrtc {} sm_{}", nvrtc->version(), architecture);
  if (std::optional<std::string> kept = cache.find(compiler, text); kept.has_value()) return *std::move(kept);
  WEFT_ASSIGN_OR_RETURN(std::string code, nvrtc->compile(title, text, architecture));
  cache.keep(compiler, text, code);
  return code;
}

Result<std::shared_ptr<const Module>> Module::get(const std::string& title, const std::string& text) {
  int device = 0, major = 0, minor = 0;
  WEFT_RETURN_IF_ERROR(to_status(cudaGetDevice(&device), "asking for the GPU"));
  WEFT_RETURN_IF_ERROR(to_status(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                                 "asking for the GPU's kind"));
  WEFT_RETURN_IF_ERROR(to_status(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
                                 "asking for the GPU's kind"));

  static std::mutex mutex;
  static std::map<std::pair<int, std::string>, std::weak_ptr<const Module>> loaded;  // by GPU and text
  const std::lock_guard lock(mutex);
  std::erase_if(loaded, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const Module>& known = loaded[{device, text}];
  if (std::shared_ptr<const Module> module = known.lock(); module != nullptr) return module;
  WEFT_ASSIGN_OR_RETURN(const std::string code, machine_code(title, text, 10 * major + minor));
  cudaLibrary_t library = nullptr;
  WEFT_RETURN_IF_ERROR(to_status(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                                 "loading '" + title + "'"));
  auto module = std::make_shared<const Module>(library);
  known = module;
  return std::shared_ptr<const Module>(std::move(module));
}

Module::~Module() { cudaLibraryUnload(library_); }

Result<const void*> Module::kernel(const char* name) const {
  cudaKernel_t kernel = nullptr;
  WEFT_RETURN_IF_ERROR(
      to_status(cudaLibraryGetKernel(&kernel, library_, name), fmt::format("finding kernel '{}'", name)));
  return reinterpret_cast<const void*>(kernel);
}

}  // namespace weft::cuda
