// Ways: which way each program of a session runs.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "src/backend/cuda/way.h"

namespace weft::cuda {

class Ways {
 public:
  explicit Ways(DeviceMemory& memory) : memory_(memory) {}

  /// The way of the program, which must have passed check_operands, for these calls: steps at first, and the fastest
  /// that it fits from the fit on that brings it to kWorthCompiling calls. The environment variable WEFT_CUDA_WAY
  /// insists on one from the first call on: steps, chip, interpreter, grid, or fastest. Inference runs in steps, and so
  /// do calls that the program's way does not take.
  /// Errors: kResourceExhausted, kDeviceFault, kInvalidArgument for an unknown name in the variable, kUnsupported where
  /// program or calls do not fit the way insisted on.
  Result<Way*> get(const Program& program, const DeviceCalls& calls);

  /// To be called when buffers may have moved.
  void forget() { entries_.clear(); }

 private:
  static constexpr std::size_t kMost = 512;  // more than a session keeps
  /// Compiling takes as long as thousands of calls in steps. By calls and not by time, and by whole fits and not by
  /// their runs, whose lengths may be a matter of time: the same fits get the same bits.
  static constexpr std::int64_t kWorthCompiling = 1000;

  struct Entry {
    std::unique_ptr<const Program> program;  // the session may forget its own
    std::unique_ptr<Way> way;                // null: steps
    std::unique_ptr<Way> steps;              // null until wanted
    std::int64_t calls = 0;
    bool settled = false;  // whether the way has been looked for
  };

  DeviceMemory& memory_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace weft::cuda
