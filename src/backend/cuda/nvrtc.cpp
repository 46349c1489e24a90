// Loading and calling the run-time compiler.
#include "src/backend/cuda/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "src/core/try.h"

namespace weft::cuda {
namespace {

std::vector<std::string> places() {
  if (const char* named = std::getenv("WEFT_NVRTC_LIBRARY"); named != nullptr && *named != '\0') return {named};
  return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
#ifdef WEFT_CUDA_TOOLKIT_LIBRARIES
          WEFT_CUDA_TOOLKIT_LIBRARIES "/libnvrtc.so",
#endif
          "/usr/local/cuda/lib64/libnvrtc.so"};
}

struct Loaded {
  void* library = nullptr;
  std::string tried;
};

Loaded load() {
  Loaded loaded;
  for (const std::string& place : places()) {
    loaded.library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded.library != nullptr) break;
    loaded.tried += (loaded.tried.empty() ? "" : ", ") + place;
  }
  return loaded;
}

}  // namespace

Result<Nvrtc> Nvrtc::open() {
  const Loaded loaded = load();
  if (loaded.library == nullptr)
    return Status{
        StatusCode::kNotFound,
        fmt::format("cuda: NVRTC, which compiles programs at run time, could not be loaded (tried {})", loaded.tried)};
  Nvrtc nvrtc;
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(loaded.library, name));
    if (function == nullptr) missing = name;
  };
  find("nvrtcVersion", nvrtc.call_.version);
  find("nvrtcGetErrorString", nvrtc.call_.error);
  find("nvrtcCreateProgram", nvrtc.call_.create);
  find("nvrtcDestroyProgram", nvrtc.call_.destroy);
  find("nvrtcCompileProgram", nvrtc.call_.compile);
  find("nvrtcGetProgramLogSize", nvrtc.call_.log_size);
  find("nvrtcGetProgramLog", nvrtc.call_.log);
  find("nvrtcGetCUBINSize", nvrtc.call_.code_size);
  find("nvrtcGetCUBIN", nvrtc.call_.code);
  int major = 0, minor = 0;
  if (!missing.empty() || nvrtc.call_.version(&major, &minor) != 0)
    return Status{StatusCode::kNotFound,
                  fmt::format("cuda: NVRTC is not usable: it lacks {}", missing.empty() ? "a version" : missing)};
  nvrtc.version_ = fmt::format("{}.{}", major, minor);
  return nvrtc;
}

Result<const Nvrtc*> Nvrtc::get() {
  static const Result<Nvrtc> nvrtc = open();
  if (!nvrtc.ok()) return nvrtc.status();
  return &*nvrtc;
}

Result<std::string> Nvrtc::compile(const std::string& title, const std::string& text, int architecture) const {
  Program program = nullptr;
  const auto failed = [&](int result, std::string_view log) {
    return Status{StatusCode::kInternal, fmt::format("cuda: compiling '{}' for sm_{}: {}{}{}", title, architecture,
                                                     call_.error(result), log.empty() ? "" : "\n", log)};
  };
  if (const int result = call_.create(&program, text.c_str(), title.c_str(), 0, nullptr, nullptr); result != 0)
    return failed(result, "");
  const auto close = [&] { call_.destroy(&program); };

  const std::string target = fmt::format("--gpu-architecture=sm_{}", architecture);
  // As in cmake/cuda.cmake.
  const std::array options{target.c_str(),     "--std=c++17", "--fmad=false",      "--prec-div=true",
                           "--prec-sqrt=true", "--ftz=false", "--disable-warnings"};
  if (const int result = call_.compile(program, static_cast<int>(options.size()), options.data()); result != 0) {
    std::size_t size = 0;
    std::string log;
    if (call_.log_size(program, &size) == 0 && size > 1) {
      log.resize(size);
      if (call_.log(program, log.data()) != 0) log.clear();
      while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    }
    close();
    return failed(result, log);
  }
  std::size_t size = 0;
  int result = call_.code_size(program, &size);
  std::string code(size, '\0');
  if (result == 0) result = call_.code(program, code.data());
  close();
  if (result != 0) return failed(result, "");
  return code;
}

}  // namespace weft::cuda
