// Runtime: Objective-C and Metal as found when weft runs. No SDK and no Objective-C is needed to build: every message
// is a call of objc_msgSend as a function of the message's own type, which messages.def says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/status.hpp"

namespace weft::metal {

// As Objective-C's runtime and Metal's headers have them on 64-bit systems.
using Id = struct ObjcObject*;
using Selector = struct ObjcSelector*;
using Integer = long;            // NSInteger
using UInteger = unsigned long;  // NSUInteger
struct Size {                    // MTLSize
  UInteger width, height, depth;
};
static_assert(sizeof(Integer) == sizeof(void*) && sizeof(Size) == 3 * sizeof(void*) && sizeof(bool) == 1);

/// One message, sent to an object by calling it: `objc().set_label(command, title)`. A message to null answers 0.
template <typename R, typename... A>
class Message {
 public:
  R operator()(Id object, A... arguments) const { return send_(object, selector_, arguments...); }
  Selector selector() const { return selector_; }

 private:
  friend struct Runtime;
  R (*send_)(Id, Selector, A...) = nullptr;
  Selector selector_ = nullptr;
};

struct Runtime {
  /// Loads the library that WEFT_METAL_RUNTIME names, else the system's. Errors: kNotFound with what was looked at.
  Status load();
  /// Whether WEFT_METAL_RUNTIME names one.
  static bool is_stand_in();

  Id (*class_named)(const char*) = nullptr;
  void* (*pool_push)() = nullptr;
  void (*pool_pop)(void*) = nullptr;
  Id (*default_device)() = nullptr;  // the caller owns it
#define WEFT_MESSAGE(identifier, selector, ...) Message<__VA_ARGS__> identifier;
#include "src/backend/metal/messages.def"
#undef WEFT_MESSAGE

  /// A string for a message; lives as long as the innermost pool.
  Id string(std::string_view text) const { return string_with(class_named("NSString"), std::string(text).c_str()); }
  std::string text(Id string) const;
  /// What an NSError says: "the words (code 8)".
  std::string error_text(Id error) const;
};

/// The process's one. Errors: as load; every time as the first.
Status load_runtime();
/// load_runtime() must have been ok.
const Runtime& objc();

}  // namespace weft::metal
