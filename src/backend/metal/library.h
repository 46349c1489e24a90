// Library: a text in Metal's language, compiled, and its kernels by name.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "src/backend/metal/kernel.h"
#include "src/backend/metal/owned.h"

namespace weft::metal {

class Library {
 public:
  /// Compiles without fast math. `device` outlives it. Errors: kInternal with what the compiler said; `title` names the
  /// text.
  static Result<std::unique_ptr<Library>> compile(Id device, std::string_view title, std::string_view text);

  /// The kernel's pipeline, made at first use and kept; any thread may ask. Errors: kInternal.
  Result<Pipeline> pipeline(const std::string& kernel);

  /// As pipeline; WEFT_METAL_KERNEL gives both name and signature.
  template <typename Signature>
  Result<Kernel<Signature>> kernel(const char* name) {
    const Result<Pipeline> found = pipeline(name);
    if (!found.ok()) return found.status();
    return Kernel<Signature>(*found);
  }

 private:
  Library(Id device, std::string_view title, Owned library)
      : device_(device), title_(title), library_(std::move(library)) {}

  struct Entry {
    Owned state;
    Pipeline pipeline;
  };

  Id device_;
  std::string title_;
  Owned library_;
  std::mutex mutex_;  // of pipelines_
  std::map<std::string, Entry> pipelines_;
};

/// The kernel of that name in src/kernels/entries.h, with the types of its declaration.
#define WEFT_METAL_KERNEL(library, name) (library).kernel<decltype(::weft::kernels::name)>(#name)

}  // namespace weft::metal
