// CompileOptions, Library, Function, Pipeline: from a text to a kernel that can be started.
#pragma once

#include <memory>

#include "tests/metal/standin/binary.h"
#include "tests/metal/standin/foundation.h"

namespace weft::standin {

inline constexpr UInteger kMostThreadgroupBytes = 32 << 10;  // of a group's memory

class CompileOptions final : public Object {
 public:
  CompileOptions() : Object(kMTLCompileOptions) {}

  // As a new one is: everything as fast as may be.
  bool fast_math = true, fast_functions = true;
};

class Library final : public Object {
 public:
  explicit Library(std::shared_ptr<const Binary> binary) : Object(kMTLLibrary), binary_(std::move(binary)) {}
  const std::shared_ptr<const Binary>& binary() const { return binary_; }

 private:
  void dispose() override { binary_.reset(); }
  std::shared_ptr<const Binary> binary_;
};

class Function final : public Object {
 public:
  Function(std::shared_ptr<const Binary> binary, const KernelCode& kernel)
      : Object(kMTLFunction), binary_(std::move(binary)), kernel_(kernel) {}
  const KernelCode& kernel() const { return kernel_; }
  const std::shared_ptr<const Binary>& binary() const { return binary_; }

 private:
  std::shared_ptr<const Binary> binary_;
  const KernelCode& kernel_;
};

class Pipeline final : public Object {
 public:
  Pipeline(std::shared_ptr<const Binary> binary, const KernelCode& kernel)
      : Object(kMTLComputePipelineState), binary_(std::move(binary)), kernel_(kernel) {}
  const KernelCode& kernel() const { return kernel_; }
  UInteger most_threads() const;  // of a group

 private:
  std::shared_ptr<const Binary> binary_;
  const KernelCode& kernel_;
};

/// -[MTLDevice newLibraryWithSource:options:error:]
void* new_library(void* self, Selector, void* source, void* options, void** error);
/// -[MTLDevice newComputePipelineStateWithFunction:error:]
void* new_pipeline(void* self, Selector, void* function, void** error);

}  // namespace weft::standin
