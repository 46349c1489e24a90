// Looking messages up.
#include "tests/metal/standin/messages.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

namespace weft::standin {

struct SelectorName {
  std::string name;
  bool operator<(const SelectorName& other) const { return name < other.name; }
};

namespace {

struct Selectors {
  std::mutex mutex;
  std::set<SelectorName> names;
};
Selectors& selectors() {
  static auto* const one = new Selectors;
  return *one;
}

using Table = std::unordered_map<const Class*, std::unordered_map<Selector, void*>>;
Table& building() {
  static auto* const one = new Table;
  return *one;
}

/// Complete from the first message on.
const Table& table() {
  static const bool built = [] {
    add_object_methods();
    add_foundation_methods();
    add_device_methods();
    add_library_methods();
    add_buffer_methods();
    add_command_methods();
    add_encoder_methods();
    add_mps_methods();
    return true;
  }();
  static_cast<void>(built);
  return building();
}

void* find(const Class& its_class, Selector selector) {
  const auto of_class = table().find(&its_class);
  if (of_class == table().end()) return nullptr;
  const auto found = of_class->second.find(selector);
  return found == of_class->second.end() ? nullptr : found->second;
}

std::uintptr_t answer_nil() { return 0; }

void* retain(void* self, Selector) {
  self_of<Object>(self).retain();
  return self;
}
void release(void* self, Selector) { self_of<Object>(self).release(); }
bool responds_to(void* self, Selector, Selector asked) { return responds(self_of<Object>(self).its_class(), asked); }

}  // namespace

Selector selector(const char* name) {
  const std::lock_guard lock(selectors().mutex);
  return &*selectors().names.insert({name}).first;
}

const char* name_of(Selector selector) {
  const std::lock_guard lock(selectors().mutex);
  for (const SelectorName& known : selectors().names)
    if (&known == selector) return known.name.c_str();
  fail("a selector that sel_registerName did not give");
}

void add_methods(Class& its_class, std::initializer_list<Method> methods) {
  for (const Method& each : methods) building()[&its_class][selector(each.name)] = each.function;
}

bool responds(const Class& its_class, Selector selector) { return find(its_class, selector) != nullptr; }

void* weft_standin_find_method(void* receiver, Selector selector) {
  if (receiver == nullptr) return reinterpret_cast<void*>(answer_nil);  // a message to nil answers 0
  const Object& object = Object::of(receiver, "objc_msgSend");
  if (void* const function = find(object.its_class(), selector); function != nullptr) return function;
  fail("-[{} {}]: unrecognized selector", object.name(), name_of(selector));
}

void add_object_methods() {
#define WEFT_STANDIN_CLASS(name) \
  add_methods(k##name,           \
              {method("retain", retain), method("release", release), method("respondsToSelector:", responds_to)});
  WEFT_STANDIN_CLASSES(WEFT_STANDIN_CLASS)
#undef WEFT_STANDIN_CLASS
}

}  // namespace weft::standin
