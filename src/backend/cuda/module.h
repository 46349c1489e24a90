// Module: kernels compiled at run time, on one GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "weft/status.hpp"

namespace weft::cuda {

class Module {
 public:
  /// The kernels of CUDA C++ `text` on the current GPU of the thread: compiled by NVRTC, or as the cache kept them.
  /// Whoever asks with the same text for the same GPU gets the same module for as long as anyone holds it.
  /// Errors: kNotFound where there is no NVRTC, kInternal with the compiler's log, kDeviceFault.
  static Result<std::shared_ptr<const Module>> get(const std::string& title, const std::string& text);

  explicit Module(cudaLibrary_t library) : library_(library) {}
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The kernel of that (extern "C") name, as cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaFuncSetAttribute and
  /// the occupancy functions take it. Errors: kDeviceFault.
  Result<const void*> kernel(const char* name) const;

 private:
  cudaLibrary_t library_;
};

/// The cubin that `get` would load, for compute capability `architecture` (90: 9.0). Needs no GPU.
Result<std::string> machine_code(const std::string& title, const std::string& text, int architecture);

}  // namespace weft::cuda
