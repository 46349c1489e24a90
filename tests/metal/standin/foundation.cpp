// Strings, errors, classes.
#include "tests/metal/standin/foundation.h"

#include <map>

#include "tests/metal/standin/library.h"
#include "tests/metal/standin/pool.h"

namespace weft::standin {
namespace {

struct ClassObject final : Object {
  ClassObject(Class& of_class, Object* (*make_one)()) : Object(kClass), of(of_class), make(make_one) {}
  Class& of;
  Object* (*make)();  // null: only messages to the class itself
};

/// The classes that a program may ask for by name.
const std::map<std::string, ClassObject*>& classes() {
  const auto make = [] {
    std::map<std::string, ClassObject*> all;
    const auto add = [&](Class& its_class, Object* (*make_one)()) {
      all[its_class.name] = new ClassObject(its_class, make_one);
    };
    add(kNSString, nullptr);
    add(kMTLCompileOptions, []() -> Object* { return new CompileOptions; });
    add(kMPSMatrixDescriptor, nullptr);
    add(kMPSMatrix, new_matrix);
    add(kMPSMatrixMultiplication, new_product);
    return all;
  };
  static const auto* const all = new std::map<std::string, ClassObject*>(make());
  return *all;
}

void* make_new(void* self, Selector) {
  const auto& of_class = self_of<ClassObject>(self);
  require(of_class.make != nullptr, "+[{} new]: unrecognized selector", of_class.of.name);
  return of_class.make();
}

void* string_with(void* self, Selector, const char* text) {
  require(is_class(self, kNSString), "+[{} stringWithUTF8String:]: unrecognized selector",
          self_of<ClassObject>(self).of.name);
  require(text != nullptr, "+[NSString stringWithUTF8String:]: no text");
  return static_cast<Object*>(autoreleased(new String(text)));
}

const char* utf8(void* self, Selector) { return self_of<String>(self).text().c_str(); }
void* description(void* self, Selector) {
  return static_cast<Object*>(autoreleased(new String(self_of<Error>(self).text())));
}
Integer code(void* self, Selector) { return self_of<Error>(self).code(); }

}  // namespace

void tell(void** into, Integer code, const std::string& text) {
  if (into != nullptr) *into = static_cast<Object*>(autoreleased(new Error(code, text)));
}

Object* class_object(const std::string& name) {
  const auto found = classes().find(name);
  return found == classes().end() ? nullptr : found->second;
}

bool is_class(void* self, const Class& its_class) { return &self_of<ClassObject>(self).of == &its_class; }

void set_label(void* self, Selector, void* label) {
  if (label != nullptr) argument<String>(label, kNSString, "setLabel:");
  static_cast<void>(self);
}

void add_foundation_methods() {
  add_methods(kClass,
              {method("new", make_new), method("alloc", make_new), method("stringWithUTF8String:", string_with)});
  add_methods(kNSString, {method("UTF8String", utf8)});
  add_methods(kNSError, {method("localizedDescription", description), method("code", code)});
}

}  // namespace weft::standin
