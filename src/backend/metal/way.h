// Way: how a GPU runs the calls of one program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/backend/metal/flight.h"
#include "src/backend/metal/memory.h"
#include "src/backend/metal/slice.h"
#include "src/kernels/outcome.h"

namespace weft::metal {

/// A run of calls as host and GPU see it. Call c trains on rows order[c * batch ...] at rates[c] and clock + c. A
/// single call has no rows: it trains on the arguments as they are staged.
struct DeviceCalls {
  Slice<const float> inputs = {}, targets = {};          // rows of samples
  std::int64_t input_elements = 0, target_elements = 0;  // of a row
  Slice<const std::int32_t> order = {};
  Slice<const float> rates = {};
  std::uint64_t clock = 0;
  std::int64_t count = 1, batch = 1;
  std::int64_t planned = 1;                   // calls that are to come, these among them
  Slice<kernels::CallOutcome> outcomes = {};  // out, a call each; a single call's loss is read where the program has it

  bool has_rows() const { return order.present(); }
};

class Way {
 public:
  virtual ~Way() = default;

  /// Whether it can run such calls. Errors: kUnsupported saying why not.
  virtual Status takes(const DeviceCalls&) const { return {}; }

  /// Gives the calls, which it takes, to the GPU by way of the queue; whoever lands the flight knows that they are
  /// done. The program's buffers hold afterwards what training kept (parameters, optimizer, rule, pipe) and, for
  /// inference, the output and loss. Errors: kDeviceFault, of any call so far.
  virtual Status run(const DeviceCalls& calls, Id queue, Flight& flight) = 0;

  /// For people: "23 kernels a call".
  virtual std::string describe() const = 0;
};

}  // namespace weft::metal
