// Pools, by thread.
#include "tests/metal/standin/pool.h"

#include <deque>
#include <vector>

#include "tests/metal/standin/fail.h"

namespace weft::standin {
namespace {

struct Pools {
  std::deque<std::vector<Object*>> open;  // stay where they are
  ~Pools() { require(open.empty(), "a thread ended with {} autorelease pools open", open.size()); }
};

Pools& pools() {
  thread_local Pools of_thread;
  return of_thread;
}

}  // namespace

void* push_pool() {
  pools().open.emplace_back();
  return &pools().open.back();
}

void pop_pool(void* pool) {
  auto& open = pools().open;
  require(!open.empty() && pool == &open.back(), "objc_autoreleasePoolPop: not the innermost pool of this thread");
  const std::vector<Object*> objects = std::move(open.back());
  open.pop_back();
  for (Object* object : objects) Object::of(object, "objc_autoreleasePoolPop").release();
}

void give_to_pool(Object& object) {
  require(!pools().open.empty(), "no autorelease pool for a {}: it leaks", object.name());
  pools().open.back().push_back(&object);
}

}  // namespace weft::standin
