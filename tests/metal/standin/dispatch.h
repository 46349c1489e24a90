// Dispatch: one kernel started over a grid, with all that it was given; and running it.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/metal/standin/buffer.h"
#include "tests/metal/standin/library.h"

namespace weft::standin {

/// What is bound at an index: a place in a buffer, or bytes that were copied.
struct Bound {
  Ref<Buffer> buffer;
  UInteger offset = 0, length = 0;  // of the buffer; of the bytes
  std::vector<std::max_align_t> bytes;

  bool present() const { return buffer || !bytes.empty(); }
  char* address() const;
  /// From the address to the end of what is bound.
  UInteger room() const;
};

struct Dispatch {
  Ref<Pipeline> pipeline;
  std::vector<Bound> bound;                   // by parameter of the kernel
  std::vector<UInteger> threadgroup_lengths;  // by parameter, too
  Size groups{}, threads{};

  /// Runs all groups, one after the other, on the calling thread. One at a time in a process: the kernels' threadgroup
  /// variables are there once.
  void run() const;
};

}  // namespace weft::standin
