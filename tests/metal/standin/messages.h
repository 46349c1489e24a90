// Messages: the table of what each class answers, and the types that its functions have.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "tests/metal/standin/fail.h"
#include "tests/metal/standin/object.h"

namespace weft::standin {

using Selector = const struct SelectorName*;
using Integer = long;
using UInteger = unsigned long;
struct Size {  // MTLSize
  UInteger width, height, depth;
  UInteger volume() const { return width * height * depth; }
};

/// One and the same for equal names.
Selector selector(const char* name);
const char* name_of(Selector selector);

/// A function that answers a message: (receiver, selector, arguments...), as Objective-C compiles methods.
struct Method {
  const char* name;
  void* function;
};
template <typename R, typename... A>
Method method(const char* name, R (*function)(void*, Selector, A...)) {
  return {name, reinterpret_cast<void*>(function)};
}
void add_methods(Class& its_class, std::initializer_list<Method> methods);
bool responds(const Class& its_class, Selector selector);

/// The function for a message; fails where there is none. Called by objc_msgSend.
extern "C" void* weft_standin_find_method(void* receiver, Selector selector);

/// The receiver of a message. weft_standin_find_method has looked at its class.
template <typename T>
T& self_of(void* receiver) {
  return *static_cast<T*>(static_cast<Object*>(receiver));
}

/// An object given with a message, which must be of the class.
template <typename T>
T& argument(void* pointer, Class& wanted, const char* message) {
  Object& object = Object::of(pointer, message);
  require(&object.its_class() == &wanted, "{}: the argument is a {}, wanted a {}", message, object.name(), wanted.name);
  return static_cast<T&>(object);
}

// What each file of methods adds.
void add_object_methods();
void add_foundation_methods();
void add_device_methods();
void add_library_methods();
void add_buffer_methods();
void add_command_methods();
void add_encoder_methods();
void add_mps_methods();

}  // namespace weft::standin
