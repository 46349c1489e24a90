// Way: how a GPU runs the calls of one program. Each program of a session has one, chosen by what fits (ways.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/backend/backend.h"
#include "src/backend/cuda/memory.h"
#include "src/backend/rows_read.h"
#include "src/kernels/outcome.h"

namespace weft::cuda {

/// A run of calls as a GPU sees it: every pointer is to its memory. Call c trains on rows order[c * batch ...], or on
/// rows c * batch ... where there is no order, at rates[c] and clock + c.
struct DeviceCalls {
  const float* inputs = nullptr;  // rows of samples; null where the program reads none
  const float* targets = nullptr;
  std::int64_t input_elements = 0, target_elements = 0;  // of a row
  const std::int32_t* order = nullptr;
  const float* rates = nullptr;
  std::uint64_t clock = 0;
  std::int32_t count = 1, batch = 1;
  std::int64_t planned = 1;                  // calls that are to come, these among them
  kernels::CallOutcome* outcomes = nullptr;  // out, a call each; loss 0 and finite 1 where the program takes no loss

  /// Those that come after the first `done`; the count is as it was.
  DeviceCalls after(std::int64_t done) const;

  SamplesSeen samples() const { return {batch, input_elements, target_elements}; }
};

class Way {
 public:
  virtual ~Way() = default;

  /// Whether it can run such calls. Errors: kUnsupported saying why not.
  virtual Status takes(const DeviceCalls&) const { return {}; }

  /// Puts the calls, which it takes, on the memory's stream. The program's buffers hold afterwards what training kept
  /// (parameters, optimizer, rule, pipe) and, for inference, the output and loss. Errors: kDeviceFault naming the
  /// kernel.
  virtual Status run(const DeviceCalls& calls) = 0;

  /// For people: "block of 256 threads, 31 KiB on chip, generated".
  virtual std::string describe() const = 0;
};

/// One kernel or library call after the other: any program of any size. The program and the memory outlive it.
std::unique_ptr<Way> make_steps(const Program& program, DeviceMemory& memory);

}  // namespace weft::cuda
