// Ways: which way each program of a session runs, chosen at its first run.
#pragma once

#include <memory>
#include <unordered_map>

#include "src/backend/cuda/way.h"

namespace weft::cuda {

class Ways {
 public:
  explicit Ways(DeviceMemory& memory) : memory_(memory) {}

  /// The way of the program, which must have passed memory's check. What needs every call's results on the host, or
  /// fits no faster way, runs in steps. The environment variable WEFT_CUDA_WAY (steps) insists on one.
  /// Errors: kResourceExhausted, kInvalidArgument for an unknown name in the variable.
  Result<Way*> get(const Program& program);

  /// To be called when buffers may have moved.
  void forget() { entries_.clear(); }

 private:
  static constexpr std::size_t kMost = 512;  // more than a session keeps

  struct Entry {
    std::unique_ptr<const Program> program;  // the session may forget its own
    std::unique_ptr<Way> way;
  };

  DeviceMemory& memory_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace weft::cuda
