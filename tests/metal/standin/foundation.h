// String and Error: what Metal takes and gives of Foundation.
#pragma once

#include <string>

#include "tests/metal/standin/messages.h"

namespace weft::standin {

class String final : public Object {
 public:
  explicit String(std::string text) : Object(kNSString), text_(std::move(text)) {}
  const std::string& text() const { return text_; }

 private:
  void dispose() override { text_ = {}; }
  std::string text_;
};

class Error final : public Object {
 public:
  Error(Integer code, std::string text) : Object(kNSError), code_(code), text_(std::move(text)) {}
  Integer code() const { return code_; }
  const std::string& text() const { return text_; }

 private:
  Integer code_;
  std::string text_;
};

/// Puts an error where a caller wants it.
void tell(void** into, Integer code, const std::string& text);

/// What objc_getClass answers: an object that answers messages to the class. Null for a class that does not exist.
Object* class_object(const std::string& name);

/// Whether the receiver is what class_object answers for the class.
bool is_class(void* self, const Class& its_class);

// What alloc makes of the classes of Metal Performance Shaders (mps.cpp).
Object* new_matrix();
Object* new_product();

/// setLabel: for classes that have a label; it is looked at and forgotten.
void set_label(void* self, Selector, void* label);

}  // namespace weft::standin
