// Counts of objects, and what becomes of those that are gone.
#include "tests/metal/standin/object.h"

#include <deque>
#include <memory>
#include <mutex>

#include "tests/metal/standin/fail.h"

namespace weft::standin {

#define WEFT_STANDIN_CLASS(name) Class k##name{#name};
WEFT_STANDIN_CLASSES(WEFT_STANDIN_CLASS)
#undef WEFT_STANDIN_CLASS

namespace {

/// The last objects that went, without what they held, so that a message to one of them is told by its class.
class Graveyard {
 public:
  void add(Object* object) {
    const std::lock_guard lock(mutex_);
    gone_.emplace_back(object);
    if (gone_.size() > kMost) gone_.pop_front();
  }

 private:
  static constexpr std::size_t kMost = 4096;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Object>> gone_;
};

Graveyard& graveyard() {
  static auto* const one = new Graveyard;
  return *one;
}

}  // namespace

Object::Object(Class& its_class) : class_(&its_class) { class_->alive.fetch_add(1); }

Object& Object::of(void* pointer, const char* what) {
  require(pointer != nullptr, "{}: nil, wanted an object", what);
  require(reinterpret_cast<std::uintptr_t>(pointer) % alignof(Object) == 0, "{}: {} is no object", what, pointer);
  auto& object = *static_cast<Object*>(pointer);
  if (object.mark_ == kAlive) return object;
  if (object.mark_ == kGone) fail("{}: use of {} {} after its last release", what, object.name(), pointer);
  fail("{}: {} is no object", what, pointer);
}

void Object::release() {
  const long before = count_.fetch_sub(1);
  require(before > 0, "over-release of {}", name());
  if (before > 1) return;
  dispose();
  mark_ = kGone;
  class_->alive.fetch_sub(1);
  graveyard().add(this);
}

}  // namespace weft::standin
