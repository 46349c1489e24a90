// Texts compiled, kernels found in them.
#include "tests/metal/standin/library.h"

#include <algorithm>

#include "tests/metal/standin/compiler.h"
#include "tests/metal/standin/counts.h"
#include "tests/metal/standin/settings.h"

namespace weft::standin {
namespace {

constexpr Integer kCompileFailure = 3;  // MTLLibraryErrorCompileFailure

void set_fast_math(void* self, Selector, bool fast) { self_of<CompileOptions>(self).fast_math = fast; }
void set_math_mode(void* self, Selector, Integer mode) {
  require(mode >= 0 && mode <= 2, "setMathMode: {}, wanted 0 to 2", mode);
  self_of<CompileOptions>(self).fast_math = mode != 0;
}
void set_functions(void* self, Selector, Integer functions) {
  require(functions == 0 || functions == 1, "setMathFloatingPointFunctions: {}, wanted 0 or 1", functions);
  self_of<CompileOptions>(self).fast_functions = functions == 0;
}

void* new_function(void* self, Selector, void* name) {
  const auto& library = self_of<Library>(self);
  const std::string& wanted = argument<String>(name, kNSString, "newFunctionWithName:").text();
  const KernelCode* const kernel = library.binary()->find(wanted);
  return kernel == nullptr ? nullptr : static_cast<Object*>(new Function(library.binary(), *kernel));
}

UInteger max_threads(void* self, Selector) { return self_of<Pipeline>(self).most_threads(); }
UInteger width(void*, Selector) { return 32; }
UInteger threadgroup_bytes(void* self, Selector) { return self_of<Pipeline>(self).kernel().threadgroup_bytes(); }

}  // namespace

UInteger Pipeline::most_threads() const { return std::min<UInteger>(kernel_.signature.most_threads, thread_limit()); }

void* new_library(void*, Selector, void* source, void* options, void** error) {
  const std::string& text = argument<String>(source, kNSString, "newLibraryWithSource:options:error:").text();
  bool fast = true;
  if (options != nullptr) {
    const auto& given = argument<CompileOptions>(options, kMTLCompileOptions, "newLibraryWithSource:options:error:");
    fast = given.fast_math || (macos() >= 15 && given.fast_functions);
  }
  const Compiled compiled = compile(text, fast);
  if (compiled.folder.empty()) {
    tell(error, kCompileFailure, compiled.error);
    return nullptr;
  }
  ++(fast ? counts().fast_libraries : counts().libraries);
  return static_cast<Object*>(new Library(std::make_shared<Binary>(compiled.library(), compiled.preprocessed())));
}

void* new_pipeline(void*, Selector, void* function, void** error) {
  const auto& given = argument<Function>(function, kMTLFunction, "newComputePipelineStateWithFunction:error:");
  if (given.kernel().threadgroup_bytes() > kMostThreadgroupBytes) {
    tell(error, kCompileFailure,
         fmt::format("threadgroup memory of {} is {} bytes, the most is {}", given.kernel().signature.kernel,
                     given.kernel().threadgroup_bytes(), kMostThreadgroupBytes));
    return nullptr;
  }
  return static_cast<Object*>(new Pipeline(given.binary(), given.kernel()));
}

void add_library_methods() {
  add_methods(kMTLCompileOptions, {method("setFastMathEnabled:", set_fast_math)});
  if (macos() >= 15)
    add_methods(kMTLCompileOptions,
                {method("setMathMode:", set_math_mode), method("setMathFloatingPointFunctions:", set_functions)});
  add_methods(kMTLLibrary, {method("newFunctionWithName:", new_function), method("setLabel:", set_label)});
  add_methods(kMTLComputePipelineState,
              {method("maxTotalThreadsPerThreadgroup", max_threads), method("threadExecutionWidth", width),
               method("staticThreadgroupMemoryLength", threadgroup_bytes)});
}

}  // namespace weft::standin
