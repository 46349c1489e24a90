// Loading the stand-in as the backend does.
#include "tests/metal/standin_here.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace weft::test {
namespace {

void* library() {
  static void* const loaded = [] {
    use_standin();
    void* const handle = dlopen(std::getenv("WEFT_METAL_RUNTIME"), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
      std::fprintf(stderr, "no stand-in: %s\n", dlerror());
      std::abort();
    }
    return handle;
  }();
  return loaded;
}

template <typename Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(standin_symbol(name));
}

// Whoever links this runs on the stand-in from the start.
[[maybe_unused]] const bool kUsed = (use_standin(), true);

}  // namespace

void use_standin() {
  setenv("WEFT_METAL_RUNTIME", WEFT_TEST_STANDIN, 0);
  setenv("WEFT_METAL_LIBRARY", WEFT_TEST_METAL, 0);
  setenv("WEFT_STANDIN_CACHE", WEFT_TEST_STANDIN_CACHE, 0);
  setenv("WEFT_METAL_MPS", "1", 0);  // matters to large products only
}

void* standin_symbol(const char* name) {
  void* const found = dlsym(library(), name);
  if (found == nullptr) {
    std::fprintf(stderr, "the stand-in has no %s\n", name);
    std::abort();
  }
  return found;
}

long standin_alive(const char* class_name) { return symbol<long (*)(const char*)>("weft_standin_alive")(class_name); }
long standin_count(const char* what) { return symbol<long (*)(const char*)>("weft_standin_count")(what); }
bool standin_fail(const char* what, long n) {
  return symbol<bool (*)(const char*, long)>("weft_standin_fail")(what, n);
}

}  // namespace weft::test
