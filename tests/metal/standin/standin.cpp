// Counts and faults by name, and the look for leaks at the end.
#include "tests/metal/standin/standin.h"

#include <map>
#include <string>

#include "tests/metal/standin/counts.h"
#include "tests/metal/standin/fail.h"
#include "tests/metal/standin/object.h"
#include "tests/metal/standin/settings.h"

namespace weft::standin {
namespace {

/// Its end is that of the process.
struct LeakCheck {
  ~LeakCheck() {
    if (!checks_leaks()) return;
    for (const Class* each : {&kMTLBuffer, &kMTLCommandQueue, &kMTLCommandBuffer, &kMTLComputeCommandEncoder})
      require(each->alive == 0, "at the end of the process {} {} are alive", each->alive.load(), each->name);
  }
} leak_check;

}  // namespace
}  // namespace weft::standin

using namespace weft::standin;
#define WEFT_EXPORT __attribute__((visibility("default")))

WEFT_EXPORT long weft_standin_alive(const char* class_name) {
  long all = 0;
#define WEFT_STANDIN_CLASS(name)                                                              \
  if (class_name != nullptr && std::string(class_name) == #name) return k##name.alive.load(); \
  all += k##name.alive.load();
  WEFT_STANDIN_CLASSES(WEFT_STANDIN_CLASS)
#undef WEFT_STANDIN_CLASS
  return class_name == nullptr ? all : -1;
}

WEFT_EXPORT long weft_standin_count(const char* what) {
  const Counts& all = counts();
  const std::map<std::string, long> named{{"command buffers", all.command_buffers},
                                          {"encoders", all.encoders},
                                          {"dispatches", all.dispatches},
                                          {"products", all.products},
                                          {"libraries", all.libraries},
                                          {"fast libraries", all.fast_libraries},
                                          {"buffers", all.buffers},
                                          {"bytes", all.bytes},
                                          {"bytes alive", all.bytes_alive}};
  const auto found = named.find(what);
  return found == named.end() ? -1 : found->second;
}

WEFT_EXPORT bool weft_standin_fail(const char* what, long n) {
  const std::map<std::string, Fault> named{
      {"command", Fault::kCommand}, {"buffer", Fault::kBuffer}, {"queue", Fault::kQueue}};
  const auto found = named.find(what);
  if (found == named.end()) return false;
  arm(found->second, n);
  return true;
}
