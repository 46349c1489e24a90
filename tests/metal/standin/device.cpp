// Device: the GPU itself, and what a process finds under the names of libobjc and Metal.
#include "tests/metal/standin/buffer.h"
#include "tests/metal/standin/command.h"
#include "tests/metal/standin/counts.h"
#include "tests/metal/standin/library.h"
#include "tests/metal/standin/pool.h"
#include "tests/metal/standin/settings.h"

namespace weft::standin {
namespace {

struct Device final : Object {
  Device() : Object(kMTLDevice) {}
};

void* name(void*, Selector) { return static_cast<Object*>(autoreleased(new String("Metal stand-in"))); }
UInteger most_buffer_bytes(void*, Selector) { return kMostBufferBytes; }
UInteger most_threadgroup_bytes(void*, Selector) { return kMostThreadgroupBytes; }
UInteger allocated(void*, Selector) { return static_cast<UInteger>(counts().bytes_alive); }
std::uint64_t working_set(void*, Selector) { return memory_limit(); }

}  // namespace

void add_device_methods() {
  add_methods(kMTLDevice,
              {method("name", name), method("maxBufferLength", most_buffer_bytes),
               method("maxThreadgroupMemoryLength", most_threadgroup_bytes), method("currentAllocatedSize", allocated),
               method("recommendedMaxWorkingSetSize", working_set), method("newCommandQueue", new_queue),
               method("newLibraryWithSource:options:error:", new_library),
               method("newComputePipelineStateWithFunction:error:", new_pipeline),
               method("newBufferWithLength:options:", new_buffer)});
}

}  // namespace weft::standin

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))
using namespace weft::standin;

WEFT_EXPORT void* objc_getClass(const char* name) { return class_object(name); }
WEFT_EXPORT Selector sel_registerName(const char* name) { return selector(name); }
WEFT_EXPORT void* objc_autoreleasePoolPush() { return push_pool(); }
WEFT_EXPORT void objc_autoreleasePoolPop(void* pool) { pop_pool(pool); }

/// Always the same one; the caller gets a count of it.
WEFT_EXPORT void* MTLCreateSystemDefaultDevice() {
  if (!has_device()) return nullptr;
  static auto* const device = new Device;
  device->retain();
  return static_cast<Object*>(device);
}
