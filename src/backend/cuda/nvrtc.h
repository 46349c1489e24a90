// Nvrtc: NVIDIA's run-time compiler, loaded when it is first wanted. Needs neither a GPU nor a driver.
#pragma once

#include <string>
#include <string_view>

#include "weft/status.hpp"

namespace weft::cuda {

class Nvrtc {
 public:
  /// The compiler of this process: the library that WEFT_NVRTC_LIBRARY names, else the newest that the system's loader
  /// finds, else that of the toolkit that weft was built with. Errors: kNotFound with all that was tried.
  static Result<const Nvrtc*> get();

  /// Machine code (a cubin) of CUDA C++17 `text` for GPUs of compute capability `architecture` (90: sm_90). The numbers
  /// are those of the library's own kernels: nothing is fused but where the text says fma, division and roots are
  /// exact, denormals are kept. Kernels are to be extern "C". Errors: kInternal with the compiler's log; `title` names
  /// the text.
  Result<std::string> compile(const std::string& title, const std::string& text, int architecture) const;

  /// As "13.0".
  const std::string& version() const { return version_; }

 private:
  Nvrtc() = default;
  static Result<Nvrtc> open();

  // As in nvrtc.h: a result is 0 where all went well, a program a pointer to what only the library knows.
  using Program = struct Opaque*;
  struct {
    int (*version)(int* major, int* minor);
    const char* (*error)(int result);
    int (*create)(Program*, const char* text, const char* name, int headers, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*compile)(Program, int options, const char* const*);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    int (*code_size)(Program, std::size_t*);
    int (*code)(Program, char*);
  } call_{};
  std::string version_;
};

}  // namespace weft::cuda
