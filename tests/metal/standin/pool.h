// Pools: a thread's autorelease pools, the innermost last.
#pragma once

#include "tests/metal/standin/object.h"

namespace weft::standin {

void* push_pool();
/// Releases what the pool was given; it must be the innermost of this thread.
void pop_pool(void* pool);

/// Gives the object's one count to the innermost pool.
void give_to_pool(Object& object);
template <typename T>
T* autoreleased(T* object) {
  give_to_pool(*object);
  return object;
}

}  // namespace weft::standin
