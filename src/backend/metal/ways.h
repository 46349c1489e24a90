// Ways: which way each program of a session runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "src/backend/metal/library.h"
#include "src/backend/metal/way.h"
#include "src/program/program.h"

namespace weft::metal {

class Ways {
 public:
  explicit Ways(Memory& memory) : memory_(memory) {}

  /// The way of the program, which must have passed check_operands, for these calls: steps at first, and chip, where it
  /// fits, from the fit on that brings it to kWorthCompiling calls. The environment variable WEFT_METAL_WAY insists on
  /// one from the first call on: steps or chip; fastest is as without. Inference runs in steps, and so do calls that
  /// the program's way does not take. Errors: kResourceExhausted, kInternal, kInvalidArgument for an unknown name in
  /// the variable, kUnsupported where program or calls do not fit the way insisted on.
  Result<Way*> get(const Program& program, const DeviceCalls& calls);

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
    bool settled = false;              // whether the way has been looked for
    std::shared_ptr<Library> library;  // of a chip that buffers moved away from: it need not be compiled again
  };

  void forget_places();

  Memory& memory_;
  std::uint64_t layout_ = 0;  // of the memory, that ways were made for
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace weft::metal
