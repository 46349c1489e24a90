// Loading libobjc and Metal, or what stands in for both.
#include "src/backend/metal/runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "src/core/try.h"

namespace weft::metal {
namespace {

constexpr const char* kVariable = "WEFT_METAL_RUNTIME";

/// A library that stays loaded.
Result<void*> open(const std::string& path) {
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL); library != nullptr) return library;
  const char* said = dlerror();
  return Status{StatusCode::kNotFound,
                fmt::format("device metal: {} cannot be loaded: {}", path, said != nullptr ? said : "no reason given")};
}

template <typename Function>
Status find(void* library, const char* name, Function& into) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr)
    return {StatusCode::kNotFound, fmt::format("device metal: there is no {} in the libraries of Metal", name)};
  static_assert(sizeof into == sizeof symbol);
  std::memcpy(&into, &symbol, sizeof symbol);
  return {};
}

Runtime& the_runtime() {
  static Runtime runtime;
  return runtime;
}

}  // namespace

bool Runtime::is_stand_in() {
  const char* named = std::getenv(kVariable);
  return named != nullptr && *named != '\0';
}

Status Runtime::load() {
  void *objects = nullptr, *metal = nullptr;
  if (is_stand_in()) {
    WEFT_ASSIGN_OR_RETURN(objects, open(std::getenv(kVariable)));
    metal = objects;
  } else {
    WEFT_ASSIGN_OR_RETURN(objects, open("/usr/lib/libobjc.A.dylib"));
    WEFT_ASSIGN_OR_RETURN(metal, open("/System/Library/Frameworks/Metal.framework/Metal"));
    // Without it a command-line program may be given no default device.
    WEFT_RETURN_IF_ERROR(open("/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics").status());
  }
  void* send = nullptr;
  Selector (*register_name)(const char*) = nullptr;
  WEFT_RETURN_IF_ERROR(find(objects, "objc_msgSend", send));
  WEFT_RETURN_IF_ERROR(find(objects, "sel_registerName", register_name));
  WEFT_RETURN_IF_ERROR(find(objects, "objc_getClass", class_named));
  WEFT_RETURN_IF_ERROR(find(objects, "objc_autoreleasePoolPush", pool_push));
  WEFT_RETURN_IF_ERROR(find(objects, "objc_autoreleasePoolPop", pool_pop));
  WEFT_RETURN_IF_ERROR(find(metal, "MTLCreateSystemDefaultDevice", default_device));
#define WEFT_MESSAGE(identifier, selector, ...)       \
  std::memcpy(&identifier.send_, &send, sizeof send); \
  identifier.selector_ = register_name(selector);
#include "src/backend/metal/messages.def"
#undef WEFT_MESSAGE
  return {};
}

std::string Runtime::text(Id string) const {
  const char* characters = string == nullptr ? nullptr : utf8(string);
  return characters == nullptr ? "" : characters;
}

std::string Runtime::error_text(Id error) const {
  if (error == nullptr) return "no reason given";
  return fmt::format("{} (code {})", text(description(error)), code(error));
}

Status load_runtime() {
  static const Status status = the_runtime().load();
  return status;
}

const Runtime& objc() { return the_runtime(); }

}  // namespace weft::metal
