// Kernel: a compiled kernel, launched with what its own declaration says: for a pointer a Slice (setBuffer), for a
// reference a value (setBytes). A wrong count, order or type does not compile.
#pragma once

#include <type_traits>

#include "src/backend/metal/slice.h"

namespace weft::metal {

/// A pipeline; its library keeps it.
struct Pipeline {
  Id state = nullptr;
  UInteger max_threads = 0;  // of a group
};

/// How many threads run a kernel.
struct Grid {
  UInteger groups, threads;  // threads of each group
};

template <typename Parameter>
struct Binding;

template <typename T>
struct Binding<T*> {
  using Argument = Slice<T>;
  static void bind(Id encoder, UInteger index, const Slice<T>& slice) {
    objc().set_buffer(encoder, slice.buffer, slice.offset, index);
  }
};

template <typename T>
struct Binding<const T&> {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 4096, "what setBytes takes");
  using Argument = const T&;
  static void bind(Id encoder, UInteger index, const T& value) {
    objc().set_bytes(encoder, &value, sizeof value, index);
  }
};

template <typename Signature>
class Kernel;

template <typename... P>
class Kernel<void(P...)> {
 public:
  Kernel() = default;
  explicit Kernel(const Pipeline& pipeline) : pipeline_(pipeline) {}

  UInteger max_threads() const { return pipeline_.max_threads; }

  void launch(Id encoder, const Grid& grid, typename Binding<P>::Argument... arguments) const {
    objc().set_pipeline(encoder, pipeline_.state);
    UInteger index = 0;
    (Binding<P>::bind(encoder, index++, arguments), ...);
    objc().dispatch(encoder, Size{grid.groups, 1, 1}, Size{grid.threads, 1, 1});
  }

 private:
  Pipeline pipeline_;
};

}  // namespace weft::metal
